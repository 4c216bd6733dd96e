//! Everything a person can ask of the inspector, once.
//!
//! The keymap, the `?` help, the hint line, the `:` palette, the README's table and the man page
//! are all made from this registry, so none of them can forget an action or name it differently.

/// Where keys are being read: what has the focus, most specific first in [`Context::STACKS`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Context {
    /// Anywhere but in a text line, the help or the palette.
    Global,
    /// A list of rows has the focus.
    List,
    /// The detail beside or below a list has the focus.
    Detail,
    /// Screen 1.
    Receipts,
    /// Screen 2.
    Review,
    /// Screen 3.
    Replay,
    /// Screen 4.
    Timeline,
    /// Screen 5.
    Policy,
    /// Screen 6.
    Examples,
    /// The help is open.
    Help,
    /// A question is asked.
    Dialog,
    /// The palette is open.
    Palette,
    /// A line of text is being typed.
    Input,
}

impl Context {
    /// Every context, in the order help and the README show them.
    pub const ALL: &'static [Self] = &[
        Self::Global,
        Self::List,
        Self::Detail,
        Self::Receipts,
        Self::Review,
        Self::Replay,
        Self::Timeline,
        Self::Policy,
        Self::Examples,
        Self::Help,
        Self::Dialog,
        Self::Palette,
        Self::Input,
    ];

    /// Every set of contexts that can be active at once, most specific first. Two actions whose
    /// contexts meet in one of these may not share a key.
    pub const STACKS: &'static [&'static [Self]] = &[
        &[Self::List, Self::Receipts, Self::Global],
        &[Self::Detail, Self::Receipts, Self::Global],
        &[Self::List, Self::Review, Self::Global],
        &[Self::Detail, Self::Review, Self::Global],
        &[Self::List, Self::Replay, Self::Global],
        &[Self::Detail, Self::Replay, Self::Global],
        &[Self::List, Self::Timeline, Self::Global],
        &[Self::Detail, Self::Timeline, Self::Global],
        &[Self::List, Self::Policy, Self::Global],
        &[Self::Detail, Self::Policy, Self::Global],
        &[Self::List, Self::Examples, Self::Global],
        &[Self::Detail, Self::Examples, Self::Global],
        &[Self::Help],
        &[Self::Dialog],
        &[Self::Palette],
        &[Self::Input],
    ];

    /// The heading help and the README give it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Global => "Everywhere",
            Self::List => "In a list",
            Self::Detail => "In the detail",
            Self::Receipts => "Receipts",
            Self::Review => "Review",
            Self::Replay => "Replay",
            Self::Timeline => "Timeline",
            Self::Policy => "Policy",
            Self::Examples => "Examples",
            Self::Help => "In the help",
            Self::Dialog => "In a question",
            Self::Palette => "In the palette",
            Self::Input => "In a text line",
        }
    }

    /// Whether typed characters go into a line of text here.
    pub const fn takes_text(self) -> bool {
        matches!(self, Self::Input | Self::Palette)
    }
}

/// Declares the actions: the enum and its one table.
macro_rules! actions {
    ($($name:ident $text:literal $hint:literal $about:literal [$($context:ident)+] [$($key:literal)*];)+) => {
        /// One thing a person can ask for.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Action { $(#[doc = $about] $name,)+ }

        impl Action {
            /// Every action, in the order help, the palette and the README show them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The name the config file, the palette and the README use.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// One or two words for the hint line; empty where the hint line never shows it.
            pub const fn hint(self) -> &'static str {
                match self { $(Self::$name => $hint,)+ }
            }

            /// What it does, as one line without a full stop.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$name => $about,)+ }
            }

            /// Where its keys work.
            pub const fn contexts(self) -> &'static [Context] {
                match self { $(Self::$name => &[$(Context::$context,)+],)+ }
            }

            /// Its keys unless the config file says otherwise, as the config file writes them.
            pub const fn default_keys(self) -> &'static [&'static str] {
                match self { $(Self::$name => &[$($key,)*],)+ }
            }
        }
    };
}

actions! {
    // Moving.
    Down "down" "" "move down, or scroll down" [List Detail Help Dialog Palette Input] ["down" "j"];
    Up "up" "" "move up, or scroll up" [List Detail Help Dialog Palette Input] ["up" "k"];
    Right "right" "" "open the detail, or the next tab" [List Detail] ["right" "l"];
    Left "left" "" "the previous tab, or back to the list" [Detail] ["left" "h"];
    PageDown "page-down" "" "move down by a page" [List Detail Help Dialog Palette] ["pagedown" "ctrl-d"];
    PageUp "page-up" "" "move up by a page" [List Detail Help Dialog Palette] ["pageup" "ctrl-u"];
    First "first" "" "move to the first line" [List Detail Help] ["home" "g g"];
    Last "last" "" "move to the last line" [List Detail Help] ["end" "G"];
    Open "open" "open" "open the row, or unfold the line" [List Detail] ["enter"];
    NextTab "next-tab" "tab" "show the next tab of the detail" [Receipts] ["]"];
    PreviousTab "previous-tab" "" "show the previous tab of the detail" [Receipts] ["["];
    NextMatch "next-match" "" "select the next receipt shown, wherever the focus is" [Receipts Review] ["n"];
    PreviousMatch "previous-match" "" "select the previous receipt shown, wherever the focus is" [Receipts Review] ["N"];
    FocusNext "focus-next" "pane" "give the next pane the focus" [Global Dialog] ["tab"];
    FocusPrevious "focus-previous" "" "give the previous pane the focus" [Global Dialog] ["shift-tab"];
    Back "back" "" "close what is open, then clear the filter" [Global] ["esc"];

    // Screens.
    ScreenReceipts "screen-receipts" "" "show the receipts" [Global] ["1"];
    ScreenReview "screen-review" "" "show what needs a person" [Global] ["2"];
    ScreenReplay "screen-replay" "" "show every receipt derived again" [Global] ["3"];
    ScreenTimeline "screen-timeline" "" "show the ledger over time" [Global] ["4"];
    ScreenPolicy "screen-policy" "" "show the policy, and what another would change" [Global] ["5"];
    ScreenExamples "screen-examples" "" "show the worked examples" [Global] ["6"];

    // Replay.
    RunReplay "run-replay" "again" "derive every stored receipt again" [Replay] ["r"];
    NextMismatch "next-mismatch" "mismatch" "the next receipt that differs" [Replay] ["n"];
    PreviousMismatch "previous-mismatch" "" "the receipt before that differs" [Replay] ["N"];

    // Timeline.
    ZoomIn "zoom-in" "nearer" "show half as much time" [Timeline] ["+" "="];
    ZoomOut "zoom-out" "wider" "show twice as much time" [Timeline] ["-"];
    ZoomAll "zoom-all" "all time" "show the whole ledger" [Timeline] ["0"];
    PanEarlier "pan-earlier" "" "show what was before" [Timeline] ["<"];
    PanLater "pan-later" "" "show what was after" [Timeline] [">"];
    NextMark "next-mark" "mark" "the next mark of the lane" [Timeline] ["n"];
    PreviousMark "previous-mark" "" "the mark before in the lane" [Timeline] ["N"];

    // Policy.
    PickPolicy "pick-policy" "file" "see what another policy file would change" [Policy] ["f"];
    DropWhatIf "drop-what-if" "drop" "leave what was tried out" [Policy] ["backspace"];
    NextNumber "next-number" "number" "the next number that can be changed" [Policy] ["n"];
    PreviousNumber "previous-number" "" "the number before that can be changed" [Policy] ["N"];

    // Examples.
    NextStep "next-step" "step" "the next step of the example" [Examples] ["space" "n"];
    PreviousStep "previous-step" "back" "the step before" [Examples] ["backspace" "p"];
    NextSubject "next-subject" "receipt" "the first step of the next receipt" [Examples] ["J"];
    PreviousSubject "previous-subject" "" "the first step of the receipt before" [Examples] ["K"];
    NextExample "next-example" "example" "the next example" [Examples] ["]"];
    PreviousExample "previous-example" "" "the example before" [Examples] ["["];

    // Finding.
    Filter "filter" "filter" "filter the list as you type" [Receipts] ["/"];
    SavedFilter "saved-filter" "" "choose one of the filters saved in the config file" [Receipts] ["F"];
    ClearFilter "clear-filter" "" "show every row again" [Receipts] [];
    SortNext "sort-next" "sort" "sort by the next column" [Receipts] ["s"];
    SortReverse "sort-reverse" "" "sort the other way round" [Receipts] ["S"];

    // A person's word.
    Override "override" "override" "say what the receipt really is, with a reason" [Receipts Review] ["o"];
    Revert "revert" "revert" "take your word on the receipt back" [Receipts Review] ["u"];
    Confirm "confirm" "yes" "say that it happened, or that an agent did it" [Review] ["c"];
    Deny "deny" "no" "say that it did not happen, or that no agent did it" [Review] ["d"];
    Skip "skip" "skip" "put the receipt off and go on" [Review] ["s"];
    GoOn "go-on" "next" "go on to the next receipt that waits" [Review] ["space"];
    ShowReceipt "show-receipt" "" "show the receipt on its own screen" [Review] ["r"];
    Travel "travel" "time" "show the ledger at another instant, as a preview" [Receipts] ["t"];
    Now "now" "" "go back from a preview to what stands" [Global] ["T"];
    StoreBatch "store-batch" "" "store the batch whose receipts are shown" [Receipts] ["B"];
    Save "save" "" "write the ledger" [Global] ["w"];
    Export "export" "" "export a package, after showing what it holds and withholds" [Global] ["x"];
    Facts "facts" "" "show what a package holds beside its receipts" [Global] ["i"];
    Reload "reload" "" "read the ledger's file anew" [Global] ["ctrl-r"];

    // Taking away.
    CopyId "copy-id" "" "copy the receipt's id" [Global] ["y"];
    CopyExplanation "copy-explanation" "" "copy the explanation of the receipt" [Global] ["Y"];

    // The program.
    Help "help" "keys" "show the keys of where you are" [Global] ["?"];
    Palette "palette" "all" "find an action by its name" [Global] [":"];
    CancelWork "cancel-work" "" "stop the work in progress" [Global] ["ctrl-g"];
    NextTheme "next-theme" "" "show the next theme" [Global] ["ctrl-t"];
    ToggleMouse "toggle-mouse" "" "leave the mouse to the terminal, or take it back" [Global] ["M"];
    Redraw "redraw" "" "draw the whole screen again" [Global] ["ctrl-l"];
    Suspend "suspend" "" "stop the program and go back to the shell" [Global] ["ctrl-z"];
    Quit "quit" "quit" "leave the program" [Global] ["q"];
    QuitNow "quit-now" "" "leave the program from anywhere" [Global Help Dialog Palette Input] ["ctrl-c"];

    // The palette and text lines.
    Accept "accept" "accept" "accept" [Dialog Palette Input] ["enter"];
    Cancel "cancel" "cancel" "cancel, or close" [Help Dialog Palette Input] ["esc"];
    CloseHelp "close-help" "" "close the help" [Help] ["?" "q"];
    Complete "complete" "complete" "complete the word" [Palette Input] ["tab"];
    CharLeft "char-left" "" "one character left" [Palette Input] ["left" "ctrl-b"];
    CharRight "char-right" "" "one character right" [Palette Input] ["right" "ctrl-f"];
    LineStart "line-start" "" "to the start of the line" [Palette Input] ["home" "ctrl-a"];
    LineEnd "line-end" "" "to the end of the line" [Palette Input] ["end" "ctrl-e"];
    DeleteBack "delete-back" "" "delete the character before" [Palette Input] ["backspace" "ctrl-h"];
    DeleteForward "delete-forward" "" "delete the character after" [Palette Input] ["delete"];
    DeleteWord "delete-word" "" "delete the word before" [Palette Input] ["ctrl-w"];
    DeleteToStart "delete-to-start" "" "delete everything before" [Input] ["ctrl-u"];
    DeleteToEnd "delete-to-end" "" "delete everything after" [Palette Input] ["ctrl-k"];
}

impl Action {
    /// The action of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|action| action.name() == name)
    }

    /// Whether the palette offers it: what only moves within a text line, the help or the
    /// palette itself does nothing from there.
    pub fn in_palette(self) -> bool {
        self != Self::Palette
            && self.contexts().iter().any(|context| {
                !context.takes_text() && !matches!(context, Context::Help | Context::Dialog)
            })
    }

    /// Whether its keys can work while another's do.
    pub fn meets(self, other: Self) -> bool {
        Context::STACKS.iter().any(|stack| {
            let within = |action: Self| action.contexts().iter().any(|at| stack.contains(at));
            within(self) && within(other)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_kebab_case_and_read_back() {
        let mut names = BTreeSet::new();
        for &action in Action::ALL {
            let name = action.name();
            assert!(names.insert(name), "{name} twice");
            assert!(
                name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'),
                "{name}"
            );
            assert_eq!(Action::parse(name), Some(action));
            assert!(
                !action.about().is_empty() && !action.about().ends_with('.'),
                "{name}"
            );
            assert!(!action.contexts().is_empty(), "{name}");
        }
        assert_eq!(Action::parse("Quit"), None);
    }

    #[test]
    fn every_context_is_in_a_stack_and_can_be_left() {
        for context in Context::ALL {
            assert!(
                Context::STACKS.iter().any(|stack| stack.contains(context)),
                "{context:?}"
            );
        }
        for stack in Context::STACKS {
            let active = |action: Action| action.contexts().iter().any(|at| stack.contains(at));
            assert!(active(Action::QuitNow), "{stack:?}");
            assert!(active(Action::Back) || active(Action::Cancel), "{stack:?}");
        }
    }
}
