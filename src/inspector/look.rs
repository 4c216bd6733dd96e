//! How things look on this terminal: the palette and the glyphs, together because every pane needs
//! both.

use ratatui::style::Style;
use ratatui::text::Span;

use attest_grading::model::Grade;

use super::glyphs::Glyphs;
use super::row::{Row, Standing};
use super::theme::{Palette, Role};

/// The palette and the glyphs panes draw with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Look {
    /// What every role comes to.
    pub palette: Palette,
    /// What lines and symbols are drawn with.
    pub glyphs: &'static Glyphs,
}

impl Look {
    /// What a role comes to.
    pub fn style(&self, role: Role) -> Style {
        self.palette.style(role)
    }

    /// A text in a role.
    pub fn span<'a>(&self, role: Role, text: impl Into<std::borrow::Cow<'a, str>>) -> Span<'a> {
        Span::styled(text, self.style(role))
    }

    /// The glyph of a standing.
    pub const fn standing(&self, standing: Standing) -> &'static str {
        match standing {
            Standing::Checking => self.glyphs.checking,
            Standing::Kept => self.glyphs.kept,
            Standing::Final => self.glyphs.settled,
            Standing::Overridden => self.glyphs.overridden,
        }
    }

    /// The role of what a row says.
    pub const fn verdict(&self, row: &Row) -> Role {
        match (row.grade, row.standing) {
            (Some(grade), _) => grade_role(grade),
            (None, Standing::Kept) => Role::Muted,
            (None, _) => Role::Checking,
        }
    }
}

/// The role of a grade.
pub const fn grade_role(grade: Grade) -> Role {
    match grade {
        Grade::Verified => Role::Verified,
        Grade::Partial => Role::Partial,
        Grade::NotFound => Role::NotFound,
        Grade::Unasked => Role::Unasked,
        Grade::OverScope => Role::OverScope,
        Grade::Unverifiable => Role::Unverifiable,
    }
}

/// A grade as it is read, without the underscores of its code.
pub const fn grade_word(grade: Grade) -> &'static str {
    match grade {
        Grade::Verified => "VERIFIED",
        Grade::Partial => "PARTIAL",
        Grade::NotFound => "NOT FOUND",
        Grade::Unasked => "UNASKED",
        Grade::OverScope => "OVER SCOPE",
        Grade::Unverifiable => "UNVERIFIABLE",
    }
}
