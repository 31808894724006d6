//! A driver for murmur that understands the harness of these tests: each line is a word and a text.
//!
//! It needs nothing but memory, so it is built without the standard library: the component has no imports.
#![no_std]

extern crate alloc;

use alloc::{
    string::{String, ToString},
    vec,
    vec::Vec,
};
use core::{
    alloc::{GlobalAlloc, Layout},
    arch::wasm32,
    cell::Cell,
};

// The C library has memcpy and its like.
#[link(name = "c")]
extern "C" {}

wit_bindgen::generate!({ world: "fixture", path: "wit" });

use exports::murmur::driver::process::{
    Description, Event, ExitStatus, FailureKind, Guest, InterruptMethod, LaunchPlan, LaunchRequest,
    SessionInfo, SessionMode, TurnFailure,
};

struct Driver;

impl Guest for Driver {
    fn describe() -> Description {
        Description {
            harness: "line-harness".to_string(),
            binary: "line-harness".to_string(),
            version_args: vec!["version".to_string()],
            tested_versions: vec!["1".to_string()],
            interrupt: InterruptMethod::StdinMessage,
            required_env: Vec::new(),
            streams_text: false,
            reports_usage: false,
        }
    }

    fn launch(request: LaunchRequest) -> Result<LaunchPlan, String> {
        let mode = match request.session.mode {
            SessionMode::New => "new",
            SessionMode::Resume => "resume",
        };
        let mut env_set = Vec::new();
        if let Some(bridge) = request.bridge {
            env_set.push(("LINE_BRIDGE_URL".to_string(), bridge.url));
            env_set.push(("LINE_BRIDGE_TOKEN".to_string(), bridge.bearer_token));
        }
        // Standard input stays open for an interruption, so the harness is told how long the task is.
        let length = request.task.len().to_string();
        Ok(LaunchPlan {
            args: vec![mode.to_string(), request.session.id, length],
            env_set,
            files: Vec::new(),
            stdin: Some(request.task.into_bytes()),
            keep_stdin_open: true,
            interrupt_stdin: Some(b"stop".to_vec()),
        })
    }

    fn parse(lines: Vec<String>) -> Vec<Event> {
        lines.iter().map(|line| read(line)).collect()
    }

    fn classify_exit(exit: ExitStatus) -> Event {
        if exit.interrupted {
            failed(FailureKind::Canceled, "interrupted")
        } else {
            failed(FailureKind::HarnessError, &exit.stderr_tail)
        }
    }
}

fn read(line: &str) -> Event {
    let (word, text) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "session" => Event::SessionStarted(SessionInfo {
            id: text.to_string(),
            auth: "subscription".to_string(),
            model: None,
        }),
        "text" => Event::Text(text.to_string()),
        "end" => Event::TurnEnd(text.to_string()),
        "stopped" => failed(FailureKind::Canceled, text),
        "failed" => failed(FailureKind::HarnessError, text),
        _ => Event::Note(line.to_string()),
    }
}

fn failed(kind: FailureKind, message: &str) -> Event {
    Event::TurnFailed(TurnFailure {
        kind,
        message: message.to_string(),
    })
}

export!(Driver);

/// An allocator that never gives back: a driver lives as long as one session of a test.
struct Bump {
    next: Cell<usize>,
    end: Cell<usize>,
}

/// A component has one thread.
unsafe impl Sync for Bump {}

#[global_allocator]
static MEMORY: Bump = Bump {
    next: Cell::new(0),
    end: Cell::new(0),
};

const PAGE: usize = 65536;

unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let mut at = self.next.get().next_multiple_of(layout.align());
        if at + layout.size() > self.end.get() {
            let pages = layout.size().div_ceil(PAGE) + 1;
            let grown = wasm32::memory_grow(0, pages);
            if grown == usize::MAX {
                return core::ptr::null_mut();
            }
            at = grown * PAGE;
            self.end.set(at + pages * PAGE);
        }
        self.next.set(at + layout.size());
        at as *mut u8
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

/// How the host puts what it passes into the component's memory.
#[export_name = "cabi_realloc"]
unsafe extern "C" fn reallocate(old: *mut u8, old_size: usize, align: usize, size: usize) -> *mut u8 {
    if size == 0 {
        return align as *mut u8;
    }
    let new = MEMORY.alloc(Layout::from_size_align_unchecked(size, align));
    if old_size > 0 {
        core::ptr::copy_nonoverlapping(old, new, old_size.min(size));
    }
    new
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    wasm32::unreachable()
}
