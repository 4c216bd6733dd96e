//! Exporting a package: what goes in, what is withheld and where it goes, before anything is
//! written.

use std::path::PathBuf;

use super::overlay::{Button, Dialog, LineAsked, Overlay, Purpose, Step};
use super::state::{App, Effect, ScreenName};
use crate::inspector::text::{counted, shown};
use crate::inspector::theme::Role;
use crate::inspector::widgets::cursor::Scroll;
use crate::inspector::widgets::edit::Edit;
use crate::inspector::work::{Deed, Offer, Request};

/// The filter that passes every receipt.
const ALL: &str = "";

/// Asks what a package would come to: of everything, of what the filter shows, of the chosen
/// receipt alone.
pub fn begin(app: &mut App) -> Vec<Effect> {
    if !app.is_open {
        app.tell(Role::Warning, "the ledger is not open");
        return Vec::new();
    }
    let mut filters = vec![ALL.to_owned()];
    let filter = app.list.filter_text().trim();
    if !filter.is_empty() && app.list.errors().is_empty() {
        filters.push(filter.to_owned());
    }
    let chosen = match app.screen {
        ScreenName::Receipts => app.list.chosen(),
        _ => None,
    };
    if let Some(row) = chosen {
        filters.push(row.id.clone());
    }
    vec![Effect::Ask(Request::Do(Deed::PlanExport(filters)))]
}

/// Says what a package holds and withholds, and asks of what it is to be made.
pub fn offer(app: &mut App, offers: Vec<Offer>) {
    let mut lines = vec![
        (
            Role::Text,
            "In it: the receipts with their scores and reasons, the policies they were graded by, counts, and hashes. It is verified before it is written, and a ledger's owner can derive every receipt of it again."
                .to_owned(),
        ),
        (
            Role::Text,
            "Withheld: claims, grants, observations, the reasons of overrides.".to_owned(),
        ),
        (
            Role::Warning,
            "Its ids and hashes let someone who guesses a mail's exact facts confirm the guess."
                .to_owned(),
        ),
    ];
    let opened = app.list.opened();
    if opened.is_unsaved {
        let text = "The ledger is not saved: the package names the bytes it would be saved as.";
        lines.push((Role::Warning, text.to_owned()));
    }
    if opened.preview.is_some() {
        let text = "It is made of what stands, not of the preview.";
        lines.push((Role::Warning, text.to_owned()));
    }
    let chosen = app.list.chosen().map(|row| row.id.clone());
    let mut buttons = vec![Button::cancel("export nothing")];
    for offer in offers {
        let what = match &offer.filter {
            filter if filter.is_empty() => "every receipt".to_owned(),
            filter if Some(filter) == chosen.as_ref() => "the chosen receipt alone".to_owned(),
            filter => format!("what the filter passes, {}", shown(filter)),
        };
        match offer.refused {
            Some(why) => lines.push((Role::Muted, format!("{what}: {why}"))),
            None => buttons.push(Button {
                label: format!(
                    "{what}: {}, {}",
                    counted(offer.receipts, "receipt", "receipts"),
                    counted(offer.policies, "policy", "policies")
                ),
                step: Some(Step::ExportName(offer.filter)),
            }),
        }
    }
    app.overlays.push(Overlay::Dialog(Dialog {
        title: "Export a package".to_owned(),
        lines,
        buttons,
        at: 0,
        scroll: Scroll::default(),
    }));
}

/// Asks where the package goes.
pub fn ask_name(app: &mut App, filter: String, problem: Option<String>) {
    let stem = app.name.strip_suffix(".json").unwrap_or(&app.name);
    app.overlays.push(Overlay::Line(LineAsked {
        title: "Export to".to_owned(),
        note: "NAME.tar, with NAME.context.json and NAME.verify.json; none is replaced".to_owned(),
        problem,
        edit: Edit::new(&format!("{stem}.tar")),
        purpose: Purpose::Export(filter),
    }));
}

/// The deed a typed name asks for.
///
/// # Errors
/// The name is none of a package.
pub fn deed(filter: String, name: &str) -> Result<Deed, String> {
    let name = name.trim();
    if name.strip_suffix(".tar").is_none_or(str::is_empty) {
        return Err("the name must end in .tar".to_owned());
    }
    Ok(Deed::Export {
        filter,
        path: PathBuf::from(name),
    })
}
