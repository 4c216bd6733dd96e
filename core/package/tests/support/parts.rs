//! A package taken apart and put together again.

use attest_canon::sha256;
use attest_package::document::ContextInput;
use attest_package::{Dialect, verify};

use super::{members, tar};

/// A package taken apart, so that any number of faults can be put in.
#[derive(Clone)]
pub struct Parts {
    pub inventory: String,
    pub assessment: String,
    /// Objects in any order.
    pub objects: Vec<Vec<u8>>,
    pub context: ContextInput,
    /// Replaced in the context's text at last.
    pub context_fault: Option<(&'static str, &'static str)>,
    /// The context and the assessment digest that are recorded at first.
    recorded: String,
    named: String,
    /// Whether the inventory names another assessment.
    pub misnamed: bool,
}

impl Parts {
    pub fn of(archive: &[u8], context: &ContextInput) -> Self {
        let members = members(archive);
        let text = |at: usize| String::from_utf8(members[at].1.clone()).unwrap();
        Self {
            recorded: context.digest().to_string(),
            named: sha256(text(1).as_bytes()).to_string(),
            inventory: text(0),
            assessment: text(1),
            objects: members[2..]
                .iter()
                .map(|(_, bytes)| bytes.clone())
                .collect(),
            context: context.clone(),
            context_fault: None,
            misnamed: false,
        }
    }

    pub fn inventory(&mut self, from: &str, to: &str) {
        assert!(self.inventory.contains(from), "{from}: {}", self.inventory);
        self.inventory = self.inventory.replacen(from, to, 1);
    }

    pub fn assessment(&mut self, from: &str, to: &str) {
        assert!(
            self.assessment.contains(from),
            "{from}: {}",
            self.assessment
        );
        self.assessment = self.assessment.replacen(from, to, 1);
    }

    /// Another object in an input's place, everywhere it is named.
    pub fn object(&mut self, old: &[u8], new: &[u8]) {
        let at = self.objects.iter().position(|bytes| bytes == old).unwrap();
        self.objects[at] = new.to_vec();
        let (from, to) = (sha256(old).to_string(), sha256(new).to_string());
        self.assessment = self.assessment.replace(&from, &to);
        // Members are in order of their keys: bytes, format, id, sha256.
        let end = self
            .inventory
            .rfind(&format!("\"sha256\":\"{from}\",\"surfaces\""))
            .unwrap();
        let start = self.inventory[..end].rfind("\"bytes\":").unwrap();
        let size = format!("\"bytes\":{},", old.len());
        assert!(self.inventory[start..].starts_with(&size));
        self.inventory.replace_range(
            start..start + size.len(),
            &format!("\"bytes\":{},", new.len()),
        );
        self.inventory = self.inventory.replace(&from, &to);
    }

    /// The archive, each digest but the misnamed one made to agree.
    pub fn seal(&self) -> Vec<u8> {
        let context = self.context.digest().to_string();
        let assessment = self.assessment.replace(&self.recorded, &context);
        let digest = if self.misnamed {
            "0".repeat(64)
        } else {
            sha256(assessment.as_bytes()).to_string()
        };
        let inventory = self.inventory.replace(&self.named, &digest);
        let mut objects: Vec<(String, &[u8])> = self
            .objects
            .iter()
            .map(|bytes| (format!("objects/{}", sha256(bytes)), bytes.as_slice()))
            .collect();
        objects.sort();
        let mut members: Vec<(&str, &[u8])> = vec![
            ("inventory.json", inventory.as_bytes()),
            ("assessment.json", assessment.as_bytes()),
        ];
        members.extend(objects.iter().map(|(name, bytes)| (name.as_str(), *bytes)));
        tar(&members)
    }

    /// How a verification of it ends.
    pub fn verdict(&self) -> &'static str {
        let report = verify(
            self.seal().as_slice(),
            &self.context_bytes(),
            Dialect::Contract,
        );
        report.reason.map_or("verified", |reason| reason.token())
    }

    pub fn context_bytes(&self) -> Vec<u8> {
        let text = String::from_utf8(self.context.to_bytes()).unwrap();
        match self.context_fault {
            None => text.into_bytes(),
            Some((from, to)) => {
                assert!(text.contains(from));
                text.replace(from, to).into_bytes()
            }
        }
    }
}
