//! The five surfaces, in their fixed order (§7).

/// Where an action shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Surface {
    /// Tool decisions.
    ToolCall,
    /// File access.
    Filesystem,
    /// Network connections.
    Network,
    /// Executed processes.
    Process,
    /// Client requests in a transcript.
    TranscriptJoin,
}

impl Surface {
    /// All five, in order.
    pub const ALL: [Self; 5] = [
        Self::ToolCall,
        Self::Filesystem,
        Self::Network,
        Self::Process,
        Self::TranscriptJoin,
    ];

    /// The name documents use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToolCall => "tool_call",
            Self::Filesystem => "filesystem",
            Self::Network => "network",
            Self::Process => "process",
            Self::TranscriptJoin => "transcript_join",
        }
    }

    /// The surface of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|surface| surface.name() == name)
    }
}

/// A set of surfaces, read and written in the fixed order.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SurfaceSet(u8);

impl SurfaceSet {
    /// The set of these.
    #[must_use]
    pub fn of(surfaces: &[Surface]) -> Self {
        surfaces.iter().copied().collect()
    }

    /// Adds one; `false` unless it comes after every one already there.
    pub fn push(&mut self, surface: Surface) -> bool {
        let bit = 1u8 << (surface as u8);
        let ascends = self.0 < bit;
        self.0 |= bit;
        ascends
    }

    /// Whether it holds a surface.
    #[must_use]
    pub fn contains(self, surface: Surface) -> bool {
        self.0 & (1u8 << (surface as u8)) != 0
    }

    /// Whether every surface here is in the other.
    #[must_use]
    pub fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its surfaces, in order.
    pub fn iter(self) -> impl Iterator<Item = Surface> {
        Surface::ALL
            .into_iter()
            .filter(move |surface| self.contains(*surface))
    }
}

impl FromIterator<Surface> for SurfaceSet {
    fn from_iter<I: IntoIterator<Item = Surface>>(surfaces: I) -> Self {
        let mut set = Self::default();
        for surface in surfaces {
            set.push(surface);
        }
        set
    }
}
