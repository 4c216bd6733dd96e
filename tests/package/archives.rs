//! Archives outside the strict form, and beyond the limits: the exact reason.

use crate::bad_input::{package, verify};
use crate::common::tar;

#[test]
fn archives_outside_the_strict_form() {
    let (desk, archive) = package();
    let members = tar::members(&archive);
    let header = |change: &dyn Fn(&mut [u8])| {
        let mut changed = archive.clone();
        let at = members[0].header;
        change(&mut changed[at..at + tar::BLOCK]);
        tar::seal(&mut changed[at..at + tar::BLOCK]);
        changed
    };
    let named = |name: &str| {
        header(&|header| {
            header[..100].fill(0);
            header[..name.len()].copy_from_slice(name.as_bytes());
        })
    };
    let kind = |flag: u8| header(&move |header| header[156] = flag);
    let parts = tar::data(&archive);
    let part = |name: &'static str| (name, parts[name].as_slice());
    let objects: Vec<(&str, &[u8])> = members[2..]
        .iter()
        .map(|member| (member.name.as_str(), parts[&member.name].as_slice()))
        .collect();
    let documents = [part("inventory.json"), part("assessment.json")];
    let surplus = format!("objects/{}", "f".repeat(64));
    let with = |more: &[(&'static str, &'static [u8])]| {
        let all = documents.iter().chain(&objects).chain(more).copied();
        tar::archive(all.collect::<Vec<_>>())
    };
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", Vec::new()),
        ("not an archive", b"{}".to_vec()),
        ("truncated", archive[..archive.len() - 1].to_vec()),
        ("cut in a header", archive[..100].to_vec()),
        ("without its end", archive[..archive.len() - 1024].to_vec()),
        ("concatenated", [archive.clone(), archive.clone()].concat()),
        ("absolute", named("/inventory.json")),
        ("parent", named("../inventory.json")),
        ("another name", named("inventory.txt")),
        ("PAX", kind(b'x')),
        ("global PAX", kind(b'g')),
        ("hard link", kind(b'1')),
        ("symbolic link", kind(b'2')),
        ("device", kind(b'3')),
        ("directory", kind(b'5')),
        ("sparse", kind(b'S')),
        ("GNU long name", kind(b'L')),
        ("old typeflag", kind(0)),
        ("owner", header(&|header| header[114] = b'1')),
        ("mode", header(&|header| header[105] = b'7')),
        ("time", header(&|header| header[146] = b'1')),
        ("user name", header(&|header| header[265] = b'r')),
        ("prefix", header(&|header| header[345] = b'a')),
        ("device number", header(&|header| header[329] = b'0')),
        (
            "GNU magic",
            header(&|header| header[257..265].copy_from_slice(b"ustar  \0")),
        ),
        (
            "inventory after assessment",
            tar::archive(
                [documents[1], documents[0]]
                    .into_iter()
                    .chain(objects.clone()),
            ),
        ),
        (
            "objects out of order",
            tar::archive(documents.into_iter().chain(objects.iter().rev().copied())),
        ),
        (
            "an object missing",
            tar::archive(documents.into_iter().chain(objects[1..].to_vec())),
        ),
        (
            "an object twice",
            tar::archive(
                documents
                    .into_iter()
                    .chain(objects.clone())
                    .chain([objects[2]]),
            ),
        ),
        (
            "no assessment",
            tar::archive([documents[0]].into_iter().chain(objects.clone())),
        ),
        (
            "an object nobody declared",
            with(&[(Box::leak(surplus.clone().into_boxed_str()), b"x")]),
        ),
        ("a package in a package", with(&[("package.tar", b"x")])),
    ];
    for (what, bytes) in cases {
        desk.write("bad.tar", &bytes);
        let run = verify(&desk, "bad.tar", &[]);
        assert_eq!(
            (run.code, run.err.as_str()),
            (Some(1), ""),
            "{what}: {run:?}"
        );
        let report = run.json();
        assert_eq!(report["outcome"], "package_refused", "{what}");
        assert_eq!(report["reason"], "input_shape", "{what}");
        assert_eq!(report["counts"], serde_json::Value::Null, "{what}");
        let run = desk.run(&[
            "package",
            "inspect",
            "bad.tar",
            "--context",
            "demo.context.json",
        ]);
        assert_eq!(run.out, "bad.tar: package_refused: input_shape\n", "{what}");
    }
}

/// 128 members and one more; a header that states more than a limit.
#[test]
fn limits_are_refused_by_name() {
    let (desk, archive) = package();
    let parts = tar::data(&archive);
    let names: Vec<String> = (0..127).map(|at| format!("objects/{at:064x}")).collect();
    let many = |count: usize| {
        let documents = [
            ("inventory.json", parts["inventory.json"].as_slice()),
            ("assessment.json", parts["assessment.json"].as_slice()),
        ];
        let objects = names[..count].iter().map(|name| (name.as_str(), &b""[..]));
        tar::archive(documents.into_iter().chain(objects))
    };
    // At the limit the members are admitted, and are not those declared.
    for (count, reason) in [(126, "input_shape"), (127, "resource_hard")] {
        desk.write("many.tar", many(count));
        let run = verify(&desk, "many.tar", &[]);
        assert_eq!(run.code, Some(1));
        assert_eq!(run.json()["reason"], reason, "{count}");
    }
    let mut huge = archive.clone();
    huge[124..136].copy_from_slice(b"77777777777\0");
    tar::seal(&mut huge[..tar::BLOCK]);
    desk.write("huge.tar", huge);
    assert_eq!(
        verify(&desk, "huge.tar", &[]).json()["reason"],
        "resource_hard"
    );
    // A limit the context selects.
    let context = desk
        .read("demo.context.json")
        .replace("\"members\":128", "\"members\":3");
    desk.write("demo.context.json", context);
    assert_eq!(
        verify(&desk, "demo.tar", &[]).json()["reason"],
        "resource_selected"
    );
    // Inputs: sixty-four and one more.
    desk.write("empty.json", "[]\n");
    let inputs: Vec<String> = (0..65)
        .map(|at| format!("h{at}=inspector-protocol-793d103:empty.json"))
        .collect();
    let build = |count: usize, name: &'static str| {
        let mut arguments = vec!["package", "build", "--out", name];
        for input in &inputs[..count] {
            arguments.extend(["--input", input]);
        }
        desk.run(&arguments)
    };
    assert_eq!(build(64, "most.tar").code, Some(0));
    let run = build(65, "more.tar");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.err.starts_with("attest-tui: resource_hard: "),
        "{run:?}"
    );
    assert!(!desk.path().join("more.tar").exists());
}
