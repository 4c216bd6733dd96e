//! The timeline printed without a terminal: the lanes drawn once, then every mark as a line.

use super::axis::View;
use super::draw::{cells, line};
use super::model::Model;
use crate::inspector::panes::Pane;
use crate::inspector::row::Row;
use crate::inspector::screens::Facts;
use crate::inspector::text::{Align, fit, width};

/// Cells of a lane's name.
const NAME: usize = 24;
/// Fewer cells of time than this say nothing.
const LEAST: usize = 20;

/// The screen as lines. `rows` are the list's, for what each mark's receipt says.
///
/// # Errors
/// None.
pub fn plain(facts: &Facts<'_>, rows: &[Row], pane: &Pane<'_>) -> Result<Vec<String>, String> {
    let mut model = Model::new(facts);
    model.judge(rows);
    let look = pane.look;
    let Some(whole) = model.whole else {
        return Ok(vec!["the ledger holds nothing that happened".to_owned()]);
    };
    let across = pane.width.saturating_sub(NAME + 1).max(LEAST);
    let view = View::whole(whole, across);
    let clock = model.clock;
    let mut out = vec![format!(
        "{} to {} {}",
        clock.at(whole.from),
        clock.at(whole.to),
        clock.zone()
    )];
    let mut ticks = " ".repeat(NAME + 1);
    for (cell, label) in view.ticks(across, clock) {
        let gap = (NAME + 1 + cell).saturating_sub(width(&ticks));
        ticks.push_str(&" ".repeat(gap));
        ticks.push_str(&label);
    }
    out.push(ticks.trim_end().to_owned());
    for lane in &model.lanes {
        let name = lane.kind.name(look.glyphs.cut);
        let name = fit(&name, NAME, Align::Left, look.glyphs.cut);
        let drawn = cells(lane, &view, across, look);
        out.push(format!("{name} {drawn}").trim_end().to_owned());
    }
    for lane in &model.lanes {
        out.push(String::new());
        out.push(lane.kind.name(look.glyphs.cut));
        for mark in &lane.marks {
            let text = line(lane.kind, mark, look).to_string();
            out.push(format!("  {}", text.trim_end()));
        }
    }
    Ok(out)
}
