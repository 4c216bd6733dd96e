//! RFC 8785 numbers of foreign payloads. The only module in which a number
//! passes through IEEE 754, because for payloads that other software wrote
//! RFC 8785 defines a number's canonical text by its double.

/// The double nearest to a JSON number's text; `None` when it overflows.
#[must_use]
pub fn parse(lexeme: &str) -> Option<f64> {
    lexeme.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// The canonical text of a finite double (RFC 8785 §3.2.2.3); `None` for NaN
/// and the infinities. `-0` is `0`.
#[must_use]
pub fn canonical(value: f64) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    Some(ryu_js::Buffer::new().format_finite(value).to_owned())
}

/// The canonical text of a JSON number's text, through its double; `None` when
/// it overflows.
#[must_use]
pub fn canonical_lexeme(lexeme: &str) -> Option<String> {
    canonical(parse(lexeme)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of RFC 8785, appendix B.
    #[test]
    fn rfc_8785_appendix_b() {
        for (bits, text) in [
            (0x0000_0000_0000_0000u64, Some("0")),
            (0x8000_0000_0000_0000, Some("0")),
            (0x0000_0000_0000_0001, Some("5e-324")),
            (0x8000_0000_0000_0001, Some("-5e-324")),
            (0x7fef_ffff_ffff_ffff, Some("1.7976931348623157e+308")),
            (0xffef_ffff_ffff_ffff, Some("-1.7976931348623157e+308")),
            (0x4340_0000_0000_0000, Some("9007199254740992")),
            (0xc340_0000_0000_0000, Some("-9007199254740992")),
            (0x4430_0000_0000_0000, Some("295147905179352830000")),
            (0x7fff_ffff_ffff_ffff, None),
            (0x7ff0_0000_0000_0000, None),
            (0x44b5_2d02_c7e1_4af5, Some("9.999999999999997e+22")),
            (0x44b5_2d02_c7e1_4af6, Some("1e+23")),
            (0x44b5_2d02_c7e1_4af7, Some("1.0000000000000001e+23")),
            (0x444b_1ae4_d6e2_ef4e, Some("999999999999999700000")),
            (0x444b_1ae4_d6e2_ef4f, Some("999999999999999900000")),
            (0x444b_1ae4_d6e2_ef50, Some("1e+21")),
            (0x3eb0_c6f7_a0b5_ed8c, Some("9.999999999999997e-7")),
            (0x3eb0_c6f7_a0b5_ed8d, Some("0.000001")),
            (0x41b3_de43_5555_5553, Some("333333333.3333332")),
            (0x41b3_de43_5555_5554, Some("333333333.33333325")),
            (0x41b3_de43_5555_5555, Some("333333333.3333333")),
            (0x41b3_de43_5555_5556, Some("333333333.3333334")),
            (0x41b3_de43_5555_5557, Some("333333333.33333343")),
        ] {
            assert_eq!(
                canonical(f64::from_bits(bits)).as_deref(),
                text,
                "{bits:016x}"
            );
        }
        // Halfway between two shortest texts: the even one.
        assert_eq!(
            canonical_lexeme("1424953923781206.25").as_deref(),
            Some("1424953923781206.2")
        );
        assert_eq!(canonical_lexeme("1e400"), None);
    }
}
