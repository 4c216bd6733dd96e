//! Copying through the terminal (OSC 52), which works over SSH too. The terminal never says whether
//! it took the text, so it is "sent", never "copied".

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The longest text sent, in bytes: what common terminals take in one sequence.
pub const MOST: usize = 74_994;

/// The longest part GNU screen passes on at once, in bytes.
const SCREEN_PART: usize = 512;

/// What stands between the program and the terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Between {
    /// Nothing.
    Nothing,
    /// tmux.
    Tmux,
    /// GNU screen.
    Screen,
}

impl Between {
    /// What the environment says.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Self {
        let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
        if is_set("TMUX") {
            Self::Tmux
        } else if is_set("STY") {
            Self::Screen
        } else {
            Self::Nothing
        }
    }
}

/// The text was too long to send whole: this many bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLong(pub usize);

/// The sequence that puts a text on the clipboard.
///
/// # Errors
/// The text is longer than [`MOST`]; half of it would be worse than none.
pub fn sequence(text: &str, between: Between) -> Result<Vec<u8>, TooLong> {
    if text.len() > MOST {
        return Err(TooLong(text.len()));
    }
    let plain = format!("\x1b]52;c;{}\x07", STANDARD.encode(text));
    Ok(match between {
        Between::Nothing => plain,
        // tmux takes the plain sequence itself where `set-clipboard` is on, and passes the wrapped
        // one to the terminal outside where `allow-passthrough` is.
        Between::Tmux => format!(
            "{plain}\x1bPtmux;{}\x1b\\",
            plain.replace('\x1b', "\x1b\x1b")
        ),
        Between::Screen => {
            let mut wrapped = String::with_capacity(plain.len() + 64);
            let mut rest = plain.as_str();
            while !rest.is_empty() {
                // All ASCII, so every place is a boundary.
                let (part, after) = rest.split_at(rest.len().min(SCREEN_PART));
                wrapped.push_str("\x1bP");
                wrapped.push_str(part);
                wrapped.push_str("\x1b\\");
                rest = after;
            }
            wrapped
        }
    }
    .into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(text: &str, between: Between) -> String {
        String::from_utf8(sequence(text, between).unwrap()).unwrap()
    }

    #[test]
    fn sequences() {
        assert_eq!(
            sent("receipt", Between::Nothing),
            "\x1b]52;c;cmVjZWlwdA==\x07"
        );
        assert_eq!(
            sent("receipt", Between::Tmux),
            "\x1b]52;c;cmVjZWlwdA==\x07\x1bPtmux;\x1b\x1b]52;c;cmVjZWlwdA==\x07\x1b\\"
        );
        assert_eq!(
            sent("receipt", Between::Screen),
            "\x1bP\x1b]52;c;cmVjZWlwdA==\x07\x1b\\"
        );
        let long = sent(&"x".repeat(1000), Between::Screen);
        let parts: Vec<&str> = long.split("\x1b\\").collect();
        assert!(parts.iter().all(|part| part.len() <= SCREEN_PART + 2));
        let joined: String = parts
            .iter()
            .map(|part| part.strip_prefix("\x1bP").unwrap_or(part))
            .collect();
        assert_eq!(joined, sent(&"x".repeat(1000), Between::Nothing));
    }

    #[test]
    fn what_is_too_long_is_not_cut() {
        assert!(sequence(&"x".repeat(MOST), Between::Nothing).is_ok());
        assert_eq!(
            sequence(&"x".repeat(MOST + 1), Between::Nothing),
            Err(TooLong(MOST + 1))
        );
    }

    #[test]
    fn the_text_can_never_end_the_sequence() {
        let written = sent("\x1b\\\x07\x1b]0;x", Between::Nothing);
        let body = written
            .strip_prefix("\x1b]52;c;")
            .unwrap()
            .strip_suffix('\x07')
            .unwrap();
        assert!(
            body.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b))
        );
    }

    #[test]
    fn what_stands_between() {
        for (set, between) in [
            ("", Between::Nothing),
            ("TMUX", Between::Tmux),
            ("STY", Between::Screen),
        ] {
            let variable = |name: &str| (name == set).then(|| "x".to_owned());
            assert_eq!(Between::detect(variable), between);
        }
    }
}
