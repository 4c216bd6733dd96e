//! Health documents: observation, enforcement v0 and enforcement v1 (§3,
//! foreign shapes §3).

use super::fields::{Checked, Fields, U53, require, unsigned};
use crate::json::{Bounds, Fault, Json, Strict};
use crate::limits::{Limit, Meter};

const OBSERVATION: &str = "assay.runner.observation_health.v0";
const ENFORCEMENT_V0: &str = "assay.enforcement_health.v0";
const ENFORCEMENT_V1: &str = "assay.enforcement_health.v1";

/// The three identities.
pub(super) const SCHEMAS: [&str; 3] = [OBSERVATION, ENFORCEMENT_V0, ENFORCEMENT_V1];

/// The state of kernel-layer capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KernelLayer {
    Complete,
    PartialRingbufDrops,
    Absent,
}

/// Who captured; an origin the contract does not know reads unsupported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CaptureOrigin {
    Own,
    ThirdParty,
    Unsupported,
}

/// Whether records could be attributed to the run's cgroup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Correlation {
    Clean,
    Partial,
}

/// What accounting reads from a health document.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Health {
    /// Observation health.
    Observation {
        kernel: KernelLayer,
        origin: CaptureOrigin,
        correlation: Correlation,
    },
    /// Enforcement health of either version.
    Enforcement {
        /// Whether enforcement failed.
        failed: bool,
    },
}

/// Reads a health document of any of the three identities.
pub(super) fn read(text: &str, meter: &mut Meter) -> Checked<Health> {
    meter.limits.check_len(Limit::RecordBytes, text.len())?;
    meter.record()?;
    let mut reader = Strict::new(text, Bounds::package(&meter.limits));
    let value = reader.tree(None)?;
    reader.finish()?;
    let fields = Fields::of(&value)?;
    match fields.string("schema")? {
        OBSERVATION => observation(fields),
        ENFORCEMENT_V0 => enforcement_v0(fields),
        ENFORCEMENT_V1 => enforcement_v1(fields),
        _ => Err(Fault::Shape),
    }
}

fn observation(fields: Fields<'_, '_>) -> Checked<Health> {
    require(!fields.string("run_id")?.is_empty())?;
    let platform = fields.string("platform")?;
    let kernel = match fields.string("kernel_layer")? {
        "complete" => KernelLayer::Complete,
        "partial_ringbuf_drops" => KernelLayer::PartialRingbufDrops,
        "absent" => KernelLayer::Absent,
        _ => return Err(Fault::Shape),
    };
    let origin = match fields.present("capture_origin") {
        None => CaptureOrigin::Own,
        Some(value) => match value.as_str().ok_or(Fault::Shape)? {
            "own" => CaptureOrigin::Own,
            "third_party" => CaptureOrigin::ThirdParty,
            _ => CaptureOrigin::Unsupported,
        },
    };
    let drops = fields.unsigned("ringbuf_drops", U53)?;
    fields.one_of("policy_layer", &["present", "absent"])?;
    fields.one_of("sdk_layer", &["present", "self_reported", "absent"])?;
    let correlation = match fields.string("cgroup_correlation")? {
        "clean" => Correlation::Clean,
        "partial" => Correlation::Partial,
        // `failed` is a value of the type that its own validation refuses.
        _ => return Err(Fault::Shape),
    };
    if fields.present("network_protocol_coverage").is_some() {
        fields.one_of(
            "network_protocol_coverage",
            &[
                "unknown",
                "absent",
                "connect_only",
                "datagram_peer_observed",
                "connect_and_datagram_peer_observed",
            ],
        )?;
    }
    if fields.present("network_endpoint_claim_scope").is_some() {
        fields.one_of(
            "network_endpoint_claim_scope",
            &["unknown", "not_applicable", "diagnostic_only", "peer_set"],
        )?;
    }
    if let Some(redaction) = fields.some("redaction") {
        let redaction = Fields::of(redaction)?;
        for key in ["mode", "key_scope", "key_id"] {
            redaction.string(key)?;
        }
        redaction.unsigned("redacted_count", U53)?;
        for key in ["by_rule", "by_field"] {
            let Json::Object(counts) = redaction.any(key)? else {
                return Err(Fault::Shape);
            };
            for (_, count) in counts {
                unsigned(count, U53)?;
            }
        }
    }
    fields.strings("notes")?;
    require(drops == 0 || kernel == KernelLayer::PartialRingbufDrops)?;
    require(platform == "linux" || kernel == KernelLayer::Absent)?;
    Ok(Health::Observation {
        kernel,
        origin,
        correlation,
    })
}

fn enforcement_v0(fields: Fields<'_, '_>) -> Checked<Health> {
    require(fields.string("scope")? == "ipv4_tcp_connect")?;
    let state = fields.one_of(
        "network_enforcement",
        &["active", "absent", "failed", "not_applicable"],
    )?;
    let class = fields.one_of("enforcement_class", &["strong", "basic"])?;
    let attached = fields.boolean("attach_confirmed")?;
    let blocked = fields.unsigned("blocked_count", U53)?;
    let allowed = fields.unsigned("allowed_count", U53)?;
    if state == "active" {
        require(attached && class == "strong")?;
    } else {
        require(!attached && class == "basic" && blocked == 0 && allowed == 0)?;
    }
    Ok(Health::Enforcement {
        failed: state == "failed",
    })
}

fn enforcement_v1(fields: Fields<'_, '_>) -> Checked<Health> {
    require(fields.string("scope")? == "tcp_connect_landlock_port")?;
    require(fields.string("mechanism")? == "landlock")?;
    require(fields.string("policy_semantics")? == "allowlist")?;
    let status = fields.one_of("status", &["active", "failed"])?;
    let class = fields.one_of("enforcement_class", &["strong", "basic"])?;
    fields.strings("non_claims")?;
    let failure = fields.some("failure").map(Fields::of).transpose()?;
    if let Some(failure) = failure {
        failure.one_of(
            "reason_code",
            &[
                "landlock_abi_too_old",
                "landlock_disabled",
                "no_new_privs_failed",
                "restrict_self_failed",
                "ruleset_build_failed",
                "policy_not_expressible",
            ],
        )?;
        require(!failure.string("detail")?.trim().is_empty())?;
    }
    let landlock = Fields::of(fields.any("landlock")?)?;
    landlock.unsigned("abi", u64::from(u32::MAX))?;
    let no_new_privs = landlock.boolean("no_new_privs_confirmed")?;
    let restricted = landlock.boolean("restrict_self_confirmed")?;
    let connect = landlock.optional_boolean("net_connect_tcp_supported")?;
    let handled = landlock
        .some("handled_access_net")
        .map(|_| landlock.strings("handled_access_net"))
        .transpose()?;
    let ports = landlock
        .some("allowed_connect_tcp_ports")
        .map(ports)
        .transpose()?;
    let shedding = landlock.optional_string("restriction_shedding")?;
    if let Some(shedding) = shedding {
        require(["restrictions_held", "restrictions_shed", "inconclusive"].contains(&shedding))?;
    }
    // `null` is stated; absent is not (§3).
    let probe = match fields.any("probe")? {
        Json::Null => None,
        probe => Some(Fields::of(probe)?),
    };
    if let Some(probe) = probe {
        for key in ["kind", "transport", "blocked_action", "blocked_errno"] {
            probe.string(key)?;
        }
        probe.unsigned("blocked_port", u64::from(u16::MAX))?;
        probe.boolean("listener_reached")?;
    }
    if status == "active" {
        require(class == "strong" && failure.is_none() && no_new_privs && restricted)?;
        require(
            handled.as_deref() == Some(&["connect_tcp"]) && ports.is_some() && connect.is_none(),
        )?;
    } else {
        require(class == "basic" && failure.is_some() && !restricted && connect.is_some())?;
        require(handled.is_none() && ports.is_none() && shedding.is_none() && probe.is_none())?;
    }
    Ok(Health::Enforcement {
        failed: status == "failed",
    })
}

fn ports(value: &Json<'_>) -> Checked<()> {
    let Json::Array(elements) = value else {
        return Err(Fault::Shape);
    };
    elements
        .iter()
        .try_for_each(|port| unsigned(port, u64::from(u16::MAX)).map(drop))
}
