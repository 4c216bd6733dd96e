//! Which keys ask for which action: plain data, made from the registry and the config file.

use std::collections::BTreeMap;

use super::action::{Action, Context};
use super::key::{Key, KeySequence};

/// The keys of every action. No two actions that can be asked for at the same time share one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Keymap {
    keys: BTreeMap<Action, Vec<KeySequence>>,
}

/// Two actions that one key would ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clash {
    /// The action whose keys were being set.
    pub action: Action,
    /// The key of it that clashes.
    pub keys: KeySequence,
    /// The action that has a key like it.
    pub other: Action,
    /// That key: the same one, or a sequence that one begins.
    pub other_keys: KeySequence,
}

/// What a key press means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Press {
    /// It asks for this.
    Action(Action),
    /// It begins a sequence.
    Begins,
    /// It means nothing here.
    Nothing,
}

impl Default for Keymap {
    fn default() -> Self {
        let keys = Action::ALL.iter().map(|&action| {
            let keys = action
                .default_keys()
                .iter()
                .filter_map(|text| KeySequence::parse(text).ok());
            // In a text line a character types itself.
            (action, keys.collect())
        });
        Self {
            keys: keys.collect(),
        }
    }
}

impl Keymap {
    /// The keys of an action, in the order they were given.
    pub fn keys(&self, action: Action) -> &[KeySequence] {
        self.keys.get(&action).map_or(&[], Vec::as_slice)
    }

    /// Gives an action these keys in place of those it had; none leaves it to the palette.
    pub fn set(&mut self, action: Action, keys: Vec<KeySequence>) {
        self.keys.insert(action, keys);
    }

    /// Every pair of actions that one key would ask for, each once, in registry order.
    pub fn clashes(&self) -> Vec<Clash> {
        let mut clashes = Vec::new();
        for (place, &action) in Action::ALL.iter().enumerate() {
            for &other in Action::ALL.iter().skip(place) {
                if other != action && !action.meets(other) {
                    continue;
                }
                for (nth, &keys) in self.keys(action).iter().enumerate() {
                    let from = if other == action { nth + 1 } else { 0 };
                    for &other_keys in self.keys(other).iter().skip(from) {
                        if keys.clashes(other_keys)
                            && meet_where_typed(action, other, keys, other_keys)
                        {
                            clashes.push(Clash {
                                action,
                                keys,
                                other,
                                other_keys,
                            });
                        }
                    }
                }
            }
        }
        clashes
    }

    /// What `key` means after `pending`, in a stack of contexts.
    ///
    /// Where text is typed a key that types a character is never an action's.
    pub fn press(&self, stack: &[Context], pending: Option<Key>, key: Key) -> Press {
        let mut begins = false;
        for &action in Action::ALL {
            for &context in action.contexts() {
                if !stack.contains(&context) {
                    continue;
                }
                for keys in self.keys(action) {
                    if context.takes_text() && keys.first.typed().is_some() {
                        continue;
                    }
                    match (pending, keys.second) {
                        (None, None) if keys.first == key => return Press::Action(action),
                        (None, Some(_)) if keys.first == key => begins = true,
                        (Some(first), Some(second)) if keys.first == first && second == key => {
                            return Press::Action(action);
                        }
                        _ => {}
                    }
                }
            }
        }
        if begins {
            Press::Begins
        } else {
            Press::Nothing
        }
    }

    /// The key to show for an action in a stack of contexts, if one works there.
    pub fn shown(&self, stack: &[Context], action: Action) -> Option<KeySequence> {
        let here = action
            .contexts()
            .iter()
            .filter(|context| stack.contains(context));
        let typed = here.clone().all(|context| context.takes_text());
        here.clone().next()?;
        self.keys(action)
            .iter()
            .copied()
            .find(|keys| !typed || keys.first.typed().is_none())
    }
}

/// Whether the two keys can be pressed in one place: a key that types a character is no key where
/// text is typed.
fn meet_where_typed(
    action: Action,
    other: Action,
    keys: KeySequence,
    other_keys: KeySequence,
) -> bool {
    let typed = keys.first.typed().is_some() || other_keys.first.typed().is_some();
    Context::STACKS.iter().any(|stack| {
        let within = |action: Action| action.contexts().iter().any(|at| stack.contains(at));
        let is_text = stack.iter().any(|at| at.takes_text());
        within(action) && within(other) && !(typed && is_text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key::parse(name).unwrap()
    }

    #[test]
    fn every_default_key_is_read_and_none_clash() {
        let keymap = Keymap::default();
        for &action in Action::ALL {
            let written: Vec<String> = keymap
                .keys(action)
                .iter()
                .map(ToString::to_string)
                .collect();
            assert_eq!(written, action.default_keys(), "{}", action.name());
        }
        assert_eq!(keymap.clashes(), []);
    }

    /// Every default key, pressed in every place its action belongs to, asks for that action.
    #[test]
    fn every_default_key_works_where_it_should() {
        let keymap = Keymap::default();
        for &action in Action::ALL {
            for stack in Context::STACKS {
                let here: Vec<_> = action
                    .contexts()
                    .iter()
                    .filter(|at| stack.contains(at))
                    .collect();
                for keys in keymap.keys(action) {
                    let text_only = here.iter().all(|at| at.takes_text());
                    if here.is_empty() || (text_only && keys.first.typed().is_some()) {
                        continue;
                    }
                    let pressed = match keys.second {
                        None => keymap.press(stack, None, keys.first),
                        Some(second) => {
                            assert_eq!(keymap.press(stack, None, keys.first), Press::Begins);
                            keymap.press(stack, Some(keys.first), second)
                        }
                    };
                    assert_eq!(pressed, Press::Action(action), "{keys} in {stack:?}");
                }
            }
        }
    }

    #[test]
    fn characters_type_where_text_is_typed() {
        let keymap = Keymap::default();
        for name in ["j", "k", "q", "?", ":", "space"] {
            for stack in [&[Context::Input][..], &[Context::Palette]] {
                assert_eq!(
                    keymap.press(stack, None, key(name)),
                    Press::Nothing,
                    "{name}"
                );
            }
        }
        assert_eq!(
            keymap.press(&[Context::Input], None, key("down")),
            Press::Action(Action::Down)
        );
    }

    #[test]
    fn clashes_are_found() {
        let mut keymap = Keymap::default();
        let sequence = |text| KeySequence::parse(text).unwrap();
        keymap.set(Action::Quit, vec![sequence("j")]);
        let clash = keymap.clashes();
        assert_eq!(clash.len(), 1);
        assert_eq!(
            (clash[0].action, clash[0].other),
            (Action::Down, Action::Quit)
        );

        // A sequence that another key begins.
        let mut keymap = Keymap::default();
        keymap.set(Action::SortNext, vec![sequence("q x")]);
        assert_eq!(keymap.clashes()[0].other_keys, sequence("q"));

        // The same key twice for one action.
        let mut keymap = Keymap::default();
        keymap.set(Action::Quit, vec![sequence("Q"), sequence("Q")]);
        assert_eq!(keymap.clashes().len(), 1);

        // The help and a list never have the keys together.
        let mut keymap = Keymap::default();
        keymap.set(Action::CloseHelp, vec![sequence("s")]);
        assert_eq!(keymap.clashes(), []);
    }

    #[test]
    fn shown_keys_work_there() {
        let keymap = Keymap::default();
        assert_eq!(
            keymap
                .shown(&[Context::Help], Action::Down)
                .unwrap()
                .to_string(),
            "down"
        );
        assert_eq!(keymap.shown(&[Context::Help], Action::Quit), None);
        let receipts = Context::STACKS[0];
        assert_eq!(
            keymap.shown(receipts, Action::Quit).unwrap().to_string(),
            "q"
        );
        assert_eq!(keymap.shown(receipts, Action::ClearFilter), None);
    }
}
