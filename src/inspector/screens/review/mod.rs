//! Review: the queue of what needs a person.

use ratatui::buffer::Buffer;

use super::{Answer as Any, Facts, Scene, Screen, Want};
use crate::inspector::action::Action;
use crate::inspector::app::state::Focus;
use crate::inspector::panes::receipts::centered_text;
use crate::inspector::theme::Role;
use crate::inspector::work::Progress;

/// What it asks of the work thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Query {}

/// What comes of it.
#[derive(Clone, Debug)]
pub enum Answer {}

/// The state.
#[derive(Clone, Debug, Default)]
pub struct State {}

/// Does a job of the screen's, on the work thread.
///
/// # Errors
/// Why it cannot be done.
pub fn answer(query: &Query, _facts: &Facts<'_>, _progress: &Progress) -> Result<Answer, String> {
    match *query {}
}

impl Screen for State {
    fn focus(&self) -> Focus {
        Focus::List
    }

    fn enter(&mut self, _scene: &Scene<'_>) -> Vec<Want> {
        Vec::new()
    }

    fn forget(&mut self) {}

    fn update(&mut self, _action: Action, _scene: &Scene<'_>) -> Vec<Want> {
        Vec::new()
    }

    fn hear(&mut self, _answer: Result<Any, String>, _scene: &Scene<'_>) -> Vec<Want> {
        Vec::new()
    }

    fn settle(&mut self, _scene: &Scene<'_>) -> Vec<Want> {
        Vec::new()
    }

    fn draw(&self, scene: &Scene<'_>, buffer: &mut Buffer) {
        centered_text(
            scene.look,
            Role::Muted,
            "the queue is not made yet",
            scene.area,
            buffer,
        );
    }
}
