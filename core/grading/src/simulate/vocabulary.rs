//! What a world is about: people, subjects, events, merchants.

/// Someone mail goes to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    pub(super) address: &'static str,
    /// A name whose words stand in the address, so that it can be matched.
    pub(super) name: &'static str,
}

const fn contact(address: &'static str, name: &'static str) -> Contact {
    Contact { address, name }
}

/// Several share a domain, two share a name, some are at a common provider.
pub(super) const CONTACTS: [Contact; 9] = [
    contact("priya.shah@northwind.example", "Priya"),
    contact("tom.berg@northwind.example", "Tom Berg"),
    contact("orders@northwind.example", "Orders"),
    contact("tom@fabrikam.example", "Tom"),
    contact("li.wei@fabrikam.example", "Li Wei"),
    contact("ana.costa@gmail.com", "Ana Costa"),
    contact("sam-green@gmail.com", "Sam"),
    contact("j.smith+work@contoso.example", "Smith"),
    contact("desk@contoso.example", "Desk"),
];

/// What mail is about.
pub(super) const SUBJECTS: [&str; 14] = [
    "Q3 deck",
    "Budget draft",
    "Board prep notes",
    "Lunch on Friday",
    "Travel plans Lisbon",
    "Hiring update",
    "Contract renewal terms",
    "Site visit photos",
    "Press release",
    "Onboarding checklist",
    "Roadmap review",
    "Warehouse keys",
    "Weekly numbers",
    "Signed lease",
];

/// Words a claim adds when it says more than was done.
pub(super) const MORE: [&str; 4] = [
    "approved by legal and archived",
    "translated into Spanish with charts",
    "final version for all customers",
    "including last year's figures",
];

/// Words that name an action without any word it goes by.
pub(super) const OTHER_WORDS: [&str; 4] = [
    "what we discussed",
    "that important thing",
    "everything promised",
    "usual stuff",
];

/// What events are called.
pub(super) const TITLES: [&str; 12] = [
    "Standup",
    "Dentist",
    "Board prep",
    "Quarterly sync",
    "Site visit",
    "Design review",
    "Interview with Kim",
    "Flight to Lisbon",
    "School play",
    "Car service",
    "Demo rehearsal",
    "Tax call",
];

/// Where things are bought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Merchant {
    pub(super) name: &'static str,
    /// Whether a receipt parser knows its mails.
    pub(super) parsed: bool,
}

const fn merchant(name: &'static str, parsed: bool) -> Merchant {
    Merchant { name, parsed }
}

/// The parsed ones stand in the world's policy.
pub(super) const MERCHANTS: [Merchant; 5] = [
    merchant("Acme Store", true),
    merchant("Globex", true),
    merchant("Initech", true),
    merchant("Umbrella Cafe", false),
    merchant("Hooli", false),
];

/// Permissions an agent may hold.
pub(super) const SCOPES: [&str; 4] = ["mail.read", "mail.send", "calendar.write", "contacts.read"];

/// What a person says when they override.
pub(super) const WORDS: [&str; 3] = ["I checked", "never happened", "asked them"];
