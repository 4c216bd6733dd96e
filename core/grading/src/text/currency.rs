//! Currencies as amounts are written in: ISO 4217 codes, their minor units and their signs.

/// Codes with no minor unit.
const WHOLE: [&str; 16] = [
    "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV",
    "XAF", "XOF", "XPF",
];

/// Codes whose minor unit is a hundredth.
#[rustfmt::skip]
const HUNDREDTHS: [&str; 133] = [
    "AED", "AFN", "ALL", "AMD", "ANG", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT",
    "BGN", "BMD", "BND", "BOB", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHF",
    "CNY", "COP", "CRC", "CUP", "CVE", "CZK", "DKK", "DOP", "DZD", "EGP", "ERN", "ETB", "EUR",
    "FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD", "GTQ", "GYD", "HKD", "HNL", "HTG", "HUF",
    "IDR", "ILS", "INR", "IRR", "JMD", "KES", "KGS", "KHR", "KPW", "KYD", "KZT", "LAK", "LBP",
    "LKR", "LRD", "LSL", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR",
    "MWK", "MXN", "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "PAB", "PEN", "PGK",
    "PHP", "PKR", "PLN", "QAR", "RON", "RSD", "RUB", "SAR", "SBD", "SCR", "SDG", "SEK", "SGD",
    "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SVC", "SYP", "SZL", "THB", "TJS", "TMT", "TOP",
    "TRY", "TTD", "TWD", "TZS", "UAH", "USD", "UYU", "UZS", "VED", "VES", "WST", "XCD", "YER",
    "ZAR", "ZMW", "ZWG",
];

/// Codes whose minor unit is a thousandth.
const THOUSANDTHS: [&str; 7] = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"];

/// How many decimals the minor unit of an ISO 4217 code has (0, 2 or 3); none for a code that is
/// no currency in use.
pub fn minor_unit_digits(code: &str) -> Option<u32> {
    known(code).map(|(_, digits)| digits)
}

/// The table's own copy of `code`, and its decimals.
pub(super) fn known(code: &str) -> Option<(&'static str, u32)> {
    let find = |table: &'static [&'static str], digits: u32| {
        let at = table.binary_search(&code).ok()?;
        table.get(at).map(|&code| (code, digits))
    };
    find(&HUNDREDTHS, 2)
        .or_else(|| find(&WHOLE, 0))
        .or_else(|| find(&THOUSANDTHS, 3))
}

/// A currency sign and what it stands for.
pub(super) struct Sign {
    /// The sign as written.
    pub text: &'static str,
    /// The code it stands for with no code beside it; none where that would be a guess.
    pub alone: Option<&'static str>,
    /// The codes it may stand beside, and then those decide; empty when only `alone` may.
    pub beside: &'static [&'static str],
}

const DOLLARS: [&str; 23] = [
    "ARS", "AUD", "BBD", "BMD", "BND", "BSD", "BZD", "CAD", "CLP", "COP", "FJD", "GYD", "HKD",
    "JMD", "KYD", "LRD", "MXN", "NZD", "SGD", "TTD", "TWD", "USD", "XCD",
];

const fn only(text: &'static str, code: &'static str) -> Sign {
    Sign {
        text,
        alone: Some(code),
        beside: &[],
    }
}

/// The signs that are read.
///
/// `$` alone is the US dollar and `£` alone the pound sterling, though others use them too; `¥`
/// alone is as often yuan as yen, and `kr` is three currencies, so they need a code beside them.
pub(super) const SIGNS: [Sign; 22] = [
    Sign {
        text: "$",
        alone: Some("USD"),
        beside: &DOLLARS,
    },
    Sign {
        text: "\u{a3}",
        alone: Some("GBP"),
        beside: &["EGP", "FKP", "GBP", "GIP", "SHP"],
    },
    Sign {
        text: "\u{a5}",
        alone: None,
        beside: &["CNY", "JPY"],
    },
    Sign {
        text: "kr",
        alone: None,
        beside: &["DKK", "ISK", "NOK", "SEK"],
    },
    only("\u{20ac}", "EUR"),
    only("US$", "USD"),
    only("CA$", "CAD"),
    only("AU$", "AUD"),
    only("NZ$", "NZD"),
    only("HK$", "HKD"),
    only("MX$", "MXN"),
    only("R$", "BRL"),
    only("\u{20b9}", "INR"),
    only("\u{20a9}", "KRW"),
    only("\u{20aa}", "ILS"),
    only("\u{20ab}", "VND"),
    only("\u{20ba}", "TRY"),
    only("\u{20bd}", "RUB"),
    only("\u{20b4}", "UAH"),
    only("\u{20b1}", "PHP"),
    only("\u{20a6}", "NGN"),
    only("z\u{142}", "PLN"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_in_one_table() {
        for table in [&WHOLE[..], &HUNDREDTHS, &THOUSANDTHS, &DOLLARS] {
            assert!(table.is_sorted_by(|a, b| a < b));
            assert!(table.iter().all(|code| {
                code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase())
            }));
        }
        for code in WHOLE {
            assert_eq!(minor_unit_digits(code), Some(0), "{code}");
        }
        for code in THOUSANDTHS {
            assert_eq!(minor_unit_digits(code), Some(3), "{code}");
        }
    }

    #[test]
    fn signs_stand_for_known_codes() {
        for sign in &SIGNS {
            assert!(
                sign.alone.is_some() || !sign.beside.is_empty(),
                "{}",
                sign.text
            );
            for code in sign.alone.iter().chain(sign.beside) {
                assert!(minor_unit_digits(code).is_some(), "{} {code}", sign.text);
            }
        }
    }

    #[test]
    fn minor_units() {
        for (code, digits) in [
            ("USD", Some(2)),
            ("JPY", Some(0)),
            ("KWD", Some(3)),
            ("usd", None),
            ("XXX", None),
        ] {
            assert_eq!(minor_unit_digits(code), digits, "{code}");
        }
    }
}
