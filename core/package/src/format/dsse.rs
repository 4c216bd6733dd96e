//! DSSE / in-toto evidence-bundle attestations and the keys that verify them
//! (foreign shapes §6).

use attest_canon::Digest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::pkcs8::DecodePublicKey as _;
use ed25519_dalek::{Signature, Verifier as _, VerifyingKey};

use super::extent::Extent;
use super::fields::{Checked, Fields, U53, require};
use super::{Bundle, Record};
use crate::json::{Bounds, Fault, Json, Strict};
use crate::limits::Limits;

const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// The one predicate admitted.
pub(super) const PREDICATE_TYPE: &str = "https://docs.getassay.dev/attestation/evidence-bundle/v1";

/// What a successful verification establishes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Attested {
    /// The attested bundle's digest.
    pub(crate) artifact_sha256: Digest,
    /// The subject's name.
    pub(crate) subject_name: String,
    /// The checked extent's canonical text, when one is stated.
    pub(crate) extent: Option<String>,
}

/// A well-formed envelope, nothing of it verified.
pub(crate) struct Envelope {
    payload: String,
    payload_type: String,
    signature: Option<String>,
}

/// The key of one SubjectPublicKeyInfo PEM; `None` when it is not one.
pub(crate) fn public_key(bytes: &[u8]) -> Option<VerifyingKey> {
    let text = core::str::from_utf8(bytes).ok()?;
    VerifyingKey::from_public_key_pem(text).ok()
}

impl Envelope {
    /// Reads an envelope under the package's budgets, which are asked of all of
    /// it before its shape is.
    pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Checked<Self> {
        let text = core::str::from_utf8(bytes).map_err(|_| Fault::Shape)?;
        super::fields::preflight(text, limits, Some("payload"))?;
        let mut reader = Strict::new(text, Bounds::admitted());
        let (mut payload, mut payload_type, mut signature) = (None, None, None);
        reader.object(|reader, key| {
            match key {
                "payload" => payload = Some(reader.string()?.into_owned()),
                "payloadType" => payload_type = Some(reader.string()?.into_owned()),
                "signatures" => signature = Some(first_signature(reader)?),
                _ => drop(reader.skip()?),
            }
            Ok(())
        })?;
        Ok(Self {
            payload: payload.ok_or(Fault::Shape)?,
            payload_type: payload_type.ok_or(Fault::Shape)?,
            signature: signature.ok_or(Fault::Shape)?,
        })
    }
}

/// The first of the signatures, all of which must be of their shape.
fn first_signature(reader: &mut Strict<'_>) -> Checked<Option<String>> {
    let mut first = None;
    reader.array(|reader, _| {
        let (mut keyid, mut sig) = (None, None);
        reader.object(|reader, key| {
            match key {
                "keyid" => keyid = Some(reader.string().map(drop)?),
                "sig" => sig = Some(reader.string()?),
                _ => drop(reader.skip()?),
            }
            Ok(())
        })?;
        keyid.ok_or(Fault::Shape)?;
        let sig = sig.ok_or(Fault::Shape)?;
        first.get_or_insert_with(|| sig.into_owned());
        Ok(())
    })?;
    Ok(first)
}

/// The bound bundle.
pub(crate) struct Subject<'b> {
    pub(crate) bundle: &'b Bundle,
    pub(crate) records: &'b [Record],
    pub(crate) digest: Digest,
}

/// Verifies an envelope with a bound key over the bound bundle. Every failure
/// is one class.
pub(crate) fn verify_attestation(
    envelope: &Envelope,
    key: &[u8],
    (bundle, records, digest): (&Bundle, &[Record], Digest),
) -> Option<Attested> {
    let key = public_key(key)?;
    verify(
        envelope,
        &key,
        &Subject {
            bundle,
            records,
            digest,
        },
    )
    .ok()
}

fn verify(envelope: &Envelope, key: &VerifyingKey, subject: &Subject<'_>) -> Checked<Attested> {
    require(envelope.payload_type == PAYLOAD_TYPE)?;
    let payload = STANDARD
        .decode(&envelope.payload)
        .map_err(|_| Fault::Shape)?;
    let signature = envelope.signature.as_ref().ok_or(Fault::Shape)?;
    let signature = STANDARD.decode(signature).map_err(|_| Fault::Shape)?;
    let signature = Signature::from_slice(&signature).map_err(|_| Fault::Shape)?;
    let mut signed = format!(
        "DSSEv1 {} {PAYLOAD_TYPE} {} ",
        PAYLOAD_TYPE.len(),
        payload.len()
    )
    .into_bytes();
    signed.extend_from_slice(&payload);
    key.verify(&signed, &signature).map_err(|_| Fault::Shape)?;
    let text = core::str::from_utf8(&payload).map_err(|_| Fault::Shape)?;
    let mut reader = Strict::new(text, Bounds::inner());
    let statement = reader.tree(None)?;
    reader.finish()?;
    check_statement(Fields::of(&statement)?, subject)
}

fn check_statement(statement: Fields<'_, '_>, subject: &Subject<'_>) -> Checked<Attested> {
    require(statement.string("_type")? == STATEMENT_TYPE)?;
    require(statement.string("predicateType")? == PREDICATE_TYPE)?;
    let Json::Array(subjects) = statement.any("subject")? else {
        return Err(Fault::Shape);
    };
    let [only] = subjects.as_slice() else {
        return Err(Fault::Shape);
    };
    let only = Fields::of(only)?;
    let name = only.string("name")?;
    let digests = only.any("digest")?;
    require(matches!(digests, Json::Object(members) if members.len() == 1))?;
    let digest = Fields::of(digests)?.string("sha256")?;
    let predicate = Fields::of(statement.any("predicate")?)?;
    let stated = predicate.some("extent").map(Extent::read).transpose()?;
    require(predicate.unsigned("schema_version", u64::from(u32::MAX))? == 1)?;
    require(digest == subject.digest.to_string() && name == subject.bundle.bundle_id)?;
    check_predicate(predicate, subject)?;
    let extent = match stated {
        None => None,
        Some(stated) => {
            let derived = Extent::derive(subject.bundle, subject.records)?;
            require(stated == derived)?;
            Some(derived.to_canonical())
        }
    };
    Ok(Attested {
        artifact_sha256: subject.digest,
        subject_name: name.to_owned(),
        extent,
    })
}

fn check_predicate(predicate: Fields<'_, '_>, subject: &Subject<'_>) -> Checked<()> {
    let bundle = subject.bundle;
    let equivalence = Fields::of(predicate.any("semantic_equivalence")?)?;
    require(equivalence.string("algorithm")? == "assay-run-root-v1")?;
    require(equivalence.string("value")? == bundle.bundle_id)?;
    let run = Fields::of(predicate.any("run")?)?;
    require(run.string("run_id")? == bundle.run_id)?;
    require(u64::try_from(subject.records.len()) == Ok(run.unsigned("event_count", U53)?))?;
    let producer = Fields::of(run.any("producer")?)?;
    let (name, version, git) = &bundle.producer;
    require(producer.string("name")? == name && producer.string("version")? == version)?;
    require(producer.string("git")? == git.as_deref().unwrap_or_default())?;
    let window = Fields::of(run.any("time_window")?)?;
    require(window.string("start")? == bundle.window.0.to_utc_text())?;
    require(window.string("end")? == bundle.window.1.to_utc_text())
}
