//! The client protocol over the WebSocket and the unix socket.

use futures::{SinkExt, StreamExt};
use hearth_contract::channel::Channel;
use hearth_contract::event::EventKind;
use hearth_contract::message::{Arrival, InterruptLevel, Origin};
use hearth_contract::provider::Chunk;
use hearth_gateway::limits;
use hearth_protocol::{ClientFrame, FRAME_BYTES_MAX, Message, ServerFrame};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpStream, UnixStream};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message as WsMessage};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::world::{World, session};

/// A client of either door.
enum Client {
    Ws(Box<WebSocketStream<MaybeTlsStream<TcpStream>>>),
    Unix(Lines<BufReader<OwnedReadHalf>>, OwnedWriteHalf),
}

impl Client {
    async fn ws(world: &World) -> Self {
        let mut request = format!("ws://{}/ws", world.address).into_client_request().unwrap();
        request.headers_mut().insert("authorization", "Bearer secret-token".parse().unwrap());
        let mut client = Self::Ws(Box::new(connect_async(request).await.unwrap().0));
        client.welcomed().await;
        client
    }

    async fn unix(world: &World) -> Self {
        let (read, write) = UnixStream::connect(world.socket()).await.unwrap().into_split();
        let mut client = Self::Unix(BufReader::new(read).lines(), write);
        client.welcomed().await;
        client
    }

    async fn both(world: &World) -> [Self; 2] {
        [Self::ws(world).await, Self::unix(world).await]
    }

    async fn welcomed(&mut self) {
        let welcome = ServerFrame::Welcome { protocol: 1, version: "9.9.9".into() };
        assert_eq!(self.frame().await, welcome);
    }

    async fn raw(&mut self, text: &str) {
        match self {
            Self::Ws(socket) => socket.send(WsMessage::text(text)).await.unwrap(),
            Self::Unix(_, write) => write.write_all(format!("{text}\n").as_bytes()).await.unwrap(),
        }
    }

    async fn send(&mut self, frame: Value) {
        // What tests write is what the protocol says.
        serde_json::from_value::<ClientFrame>(frame.clone()).unwrap();
        self.raw(&frame.to_string()).await;
    }

    async fn next(&mut self) -> Option<ServerFrame> {
        let text = match self {
            Self::Ws(socket) => loop {
                match socket.next().await? {
                    Ok(WsMessage::Text(text)) => break text.to_string(),
                    Ok(WsMessage::Ping(_) | WsMessage::Pong(_)) => {}
                    _ => return None,
                }
            },
            Self::Unix(lines, _) => lines.next_line().await.ok()??,
        };
        Some(serde_json::from_str(&text).unwrap())
    }

    async fn frame(&mut self) -> ServerFrame {
        self.next().await.expect("a frame")
    }

    async fn message(&mut self) -> Message {
        match self.frame().await {
            ServerFrame::Message(message) => message,
            other => panic!("{other:?}"),
        }
    }

    async fn watch(&mut self, session: &str) {
        self.send(json!({"type": "watch", "session": session})).await;
    }

    /// Everything up to `watching`: the texts of the messages.
    async fn watched(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        loop {
            match self.frame().await {
                ServerFrame::Message(message) => texts.push(message.text),
                ServerFrame::Watching { .. } => return texts,
                other => panic!("{other:?}"),
            }
        }
    }

    async fn failed(&mut self) -> (String, String, String) {
        match self.frame().await {
            ServerFrame::Failed { id, error } => (id, error.code, error.text),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_watcher_sees_a_turn_from_beginning_to_end() {
    let world = World::new().await;
    for (number, mut client) in Client::both(&world).await.into_iter().enumerate() {
        client.watch("cli:me").await;
        // The second client finds what the first one's turn left.
        assert_eq!(client.watched().await.len(), number * 2);
        client.send(json!({"type": "send", "id": format!("id{number}"), "text": "hello"})).await;
        let taken = world.next().await;
        let (message, turn) = (taken.message.to_string(), taken.turn.to_string());
        assert_eq!(taken.inbound.arrival, Arrival::Steer);
        taken.start();
        taken.chunk(Chunk::Reasoning("hm".into()));
        taken.draft("Let me");
        taken.chunk(Chunk::Restart);
        taken.draft("Let me look");
        taken.tool("now");
        taken.draft("It is noon");
        taken.answer("It is noon.").await;

        let mut kinds = Vec::new();
        loop {
            let frame = client.frame().await;
            let value = serde_json::to_value(&frame).unwrap();
            let kind = value["type"].as_str().unwrap().to_owned();
            match &frame {
                ServerFrame::Accepted { message: id, session, duplicate, .. } => {
                    assert_eq!((id, session.as_str(), *duplicate), (&message, "cli:me:default", false));
                    // It comes when it is durable, before or between the others.
                    continue;
                }
                ServerFrame::Message(said) if said.direction == "in" => {
                    assert_eq!(
                        (&said.id, said.text.as_str(), said.origin.as_str()),
                        (&message, "hello", "user")
                    );
                    assert!(said.client_id.is_some());
                }
                ServerFrame::Message(said) => {
                    assert_eq!((said.turn.as_ref(), said.text.as_str()), (Some(&turn), "It is noon."));
                    assert_eq!((said.sender.as_str(), said.client_id.as_ref()), ("Hearth", None));
                }
                ServerFrame::TurnEnded { state, prompt_tokens, .. } => {
                    assert_eq!((state.as_str(), *prompt_tokens), ("done", 11));
                }
                ServerFrame::Ended { message: id, end } => {
                    assert_eq!((id, end.as_str()), (&message, "answered"));
                }
                _ => assert_eq!(value["turn"], turn.as_str()),
            }
            kinds.push(kind);
            if kinds.last().unwrap() == "ended" {
                break;
            }
        }
        // The order in which it happened, although drafts and events take different ways.
        assert_eq!(
            kinds,
            [
                "message",
                "turn_started",
                "reasoning",
                "draft",
                "draft_restart",
                "draft",
                "tool_started",
                "tool_ended",
                "draft",
                "message",
                "turn_ended",
                "ended"
            ]
        );
    }
}

#[tokio::test]
async fn coming_back_loses_nothing_and_doubles_nothing() {
    let world = World::new().await;
    let me = session("cli:me:default");
    // The first look takes the newest fifty at most, so the client has a message already.
    let mut last = Some(world.kernel.say(&me, "start").await.to_string());
    let mut seen: Vec<String> = Vec::new();
    // A client that comes and goes while somebody talks all the time.
    let talk = async {
        for number in 0..300 {
            world.kernel.say(&me, &format!("m{number}")).await;
            tokio::task::yield_now().await;
        }
    };
    let read = async {
        while seen.last().is_none_or(|text| text != "m299") {
            let mut client = Client::unix(&world).await;
            client.send(json!({"type": "watch", "session": "cli:me:default", "after": last})).await;
            for _ in 0..7 {
                match client.frame().await {
                    ServerFrame::Message(message) => {
                        last = Some(message.id);
                        seen.push(message.text);
                    }
                    ServerFrame::Watching { .. } => {}
                    other => panic!("{other:?}"),
                }
                if seen.last().is_some_and(|text| text == "m299") {
                    break;
                }
            }
        }
    };
    let ((), ()) = tokio::join!(read, talk);
    let expected: Vec<String> = (0..300).map(|number| format!("m{number}")).collect();
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn what_the_ledgers_readers_do_not_see_yet_is_sent_all_the_same() {
    let world = World::new().await;
    let me = session("cli:me:default");
    world.kernel.say(&me, "old").await;
    let fresh = world.kernel.say(&me, "fresh").await;
    world.kernel.store.rows().unseen.push(fresh);
    let mut client = Client::ws(&world).await;
    client.watch("cli:me:default").await;
    assert_eq!(client.watched().await, ["old", "fresh"]);
    world.kernel.store.rows().unseen.clear();
    world.kernel.say(&me, "next").await;
    assert_eq!(client.message().await.text, "next");
}

#[tokio::test]
async fn a_long_absence_is_read_in_pages() {
    let world = World::new().await;
    let me = session("cli:me:default");
    let first = world.kernel.store_said(&me, None, "first");
    let count = limits::PAGE_MAX + 20;
    for number in 0..count {
        world.kernel.store_said(&me, None, &number.to_string());
    }
    let mut client = Client::unix(&world).await;
    client.send(json!({"type": "watch", "session": "cli:me", "after": first.to_string()})).await;
    let expected: Vec<String> = (0..count).map(|number| number.to_string()).collect();
    assert_eq!(client.watched().await, expected);
    client.watch("cli:me").await;
    assert_eq!(client.watched().await, expected[count - limits::PAGE_DEFAULT..]);
}

#[tokio::test]
async fn watching_another_session_ends_the_first() {
    let world = World::new().await;
    let mut client = Client::ws(&world).await;
    client.watch("cli:you:a").await;
    client.watched().await;
    client.watch("cli:me:b").await;
    client.watched().await;
    world.kernel.say(&session("cli:you:a"), "to a").await;
    world.kernel.say(&session("cli:me:b"), "to b").await;
    assert_eq!(client.message().await.text, "to b");
}

#[tokio::test]
async fn other_networks_are_watched_through_events() {
    let world = World::new().await;
    let mut client = Client::unix(&world).await;
    client.watch("qq:1:default").await;
    client.watched().await;
    let kind = EventKind::MessageAccepted {
        message: hearth_contract::id::MessageId::new(),
        sender: "Ann".into(),
        text: "hi".into(),
        origin: Origin::Notice,
        platform_id: None,
    };
    world.kernel.emit(Some(&session("qq:1:default")), kind);
    let message = client.message().await;
    assert_eq!((message.sender.as_str(), message.origin.as_str()), ("Ann", "notice"));
}

#[tokio::test]
async fn a_notice_without_a_session_reaches_everybody() {
    let world = World::new().await;
    let mut client = Client::unix(&world).await;
    client.watch("cli:me").await;
    client.watched().await;
    world.kernel.emit(None, EventKind::Notice { code: "disk".into(), text: "full".into() });
    assert_eq!(client.frame().await, ServerFrame::Notice { code: "disk".into(), text: "full".into() });
}

#[tokio::test]
async fn what_is_said_in_another_dialog_of_the_chat_is_told() {
    let world = World::new().await;
    let mut client = Client::unix(&world).await;
    client.watch("cli:me").await;
    client.watched().await;
    for chat in ["cli:you:other", "cli:me:other"] {
        let kind = EventKind::MessageSent {
            message: hearth_contract::id::MessageId::new(),
            turn: None,
            segments: vec![hearth_contract::message::Segment::text("stretch")],
        };
        world.kernel.emit(Some(&session(chat)), kind);
    }
    match client.frame().await {
        ServerFrame::Elsewhere(message) => {
            assert_eq!((message.session.as_str(), message.text.as_str()), ("cli:me:other", "stretch"));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_slow_client_loses_live_frames_and_nobody_waits_for_it() {
    let world = World::new().await;
    let me = session("cli:me:default");
    let mut slow = Client::unix(&world).await;
    let mut quick = Client::unix(&world).await;
    for client in [&mut slow, &mut quick] {
        client.watch("cli:me").await;
        client.watched().await;
    }
    // More than the socket and the queue hold together; the slow one reads nothing meanwhile.
    let turn = hearth_contract::id::TurnId::new();
    let piece = "x".repeat(16 << 10);
    for number in 0..1500 {
        world.kernel.hub.live().unwrap().push(&me, turn, Chunk::Text(format!("{number} {piece}")));
        match quick.frame().await {
            ServerFrame::Draft { text, .. } => assert!(text.starts_with(&format!("{number} ")), "{number}"),
            other => panic!("{other:?}"),
        }
    }
    let said = world.kernel.say(&me, "the answer").await;
    assert_eq!(quick.message().await.id, said.to_string());

    let mut drafts = 0;
    loop {
        match slow.frame().await {
            ServerFrame::Draft { .. } => drafts += 1,
            ServerFrame::Lagged => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(drafts < 1500, "{drafts}");
    // It is told nothing more until it watches again, and then it has what it missed.
    slow.watch("cli:me").await;
    assert_eq!(slow.watched().await, ["the answer"]);
}

#[tokio::test]
async fn the_same_send_twice_is_the_same_message() {
    let world = World::new().await;
    let mut client = Client::ws(&world).await;
    let send = json!({"type": "send", "id": "one", "session": "cli:me:default", "text": "x", "arrival": "interrupt"});
    client.send(send.clone()).await;
    let ServerFrame::Accepted { message, duplicate: false, id, .. } = client.frame().await else { panic!() };
    assert_eq!(id, "one");
    assert_eq!(world.next().await.inbound.arrival, Arrival::Interrupt(InterruptLevel::Joins));
    let urgent = json!({"type": "send", "id": "two", "session": "cli:me:default", "text": "x", "arrival": {"interrupt": 9}});
    client.send(urgent).await;
    let ServerFrame::Accepted { .. } = client.frame().await else { panic!() };
    // Nobody outside is as urgent as the kernel itself.
    assert_eq!(world.next().await.inbound.arrival, Arrival::Interrupt(InterruptLevel::Highest));
    client.send(send).await;
    let again = client.frame().await;
    let expected = ServerFrame::Accepted {
        id: "one".into(),
        message,
        session: "cli:me:default".into(),
        duplicate: true,
    };
    assert_eq!(again, expected);
}

#[tokio::test]
async fn calls_are_answered_under_their_id() {
    let world = World::new().await;
    let mut clients = Client::both(&world).await;
    for client in &mut clients {
        client.send(json!({"type": "call", "id": "c1", "call": {"method": "status"}})).await;
        let ServerFrame::Result { id, value } = client.frame().await else { panic!() };
        assert_eq!((id.as_str(), &value["version"]), ("c1", &json!("9.9.9")));
        assert_eq!(value["clients"], 2);
        client.send(json!({"type": "call", "id": "c2", "call": {"method": "why", "id": "nothing"}})).await;
        assert_eq!(client.failed().await.0, "c2");
    }
}

#[tokio::test]
async fn stop_stops_the_watched_session() {
    let world = World::new().await;
    let mut client = Client::unix(&world).await;
    client.send(json!({"type": "stop"})).await;
    assert_eq!(client.failed().await.1, "invalid");
    client.watch("cli:me:idle").await;
    client.watched().await;
    client.send(json!({"type": "stop"})).await;
    assert_eq!(client.failed().await.1, "not_found");
    assert_eq!(*world.kernel.stopped.lock().unwrap(), [(session("cli:me:idle"), "me".to_owned())]);
}

#[tokio::test]
async fn bad_frames_are_told_and_the_talk_goes_on() {
    let world = World::new().await;
    for mut client in Client::both(&world).await {
        for (frame, id, word) in [
            ("nonsense", "", "expected"),
            (r#"{"type": "dance", "id": "d"}"#, "d", "dance"),
            (r#"{"type": "watch", "session": "x"}"#, "", "x"),
            (r#"{"type": "watch", "session": "cli:me", "after": "x"}"#, "", "x"),
            (r#"{"type": "send", "id": "s", "text": "x"}"#, "s", "watched"),
            (r#"{"type": "send", "id": "s", "session": "qq:1:d", "text": "x"}"#, "s", "qq:1"),
            (r#"{"type": "send", "id": "s", "session": "cli:me", "text": " "}"#, "s", "nothing"),
        ] {
            client.raw(frame).await;
            let (failed, code, text) = client.failed().await;
            assert_eq!((failed.as_str(), code.as_str()), (id, "invalid"), "{frame}");
            assert!(text.contains(word), "{frame}: {text}");
        }
    }
}

#[tokio::test]
async fn a_line_that_is_too_long_is_skipped() {
    let world = World::new().await;
    let mut client = Client::unix(&world).await;
    client.raw(&"x".repeat(2 * FRAME_BYTES_MAX)).await;
    assert_eq!(client.failed().await.1, "too_large");
    client.send(json!({"type": "call", "id": "c", "call": {"method": "status"}})).await;
    assert!(matches!(client.frame().await, ServerFrame::Result { .. }));
}

#[tokio::test]
async fn a_websocket_frame_that_is_too_long_ends_the_connection() {
    let world = World::new().await;
    let Client::Ws(mut socket) = Client::ws(&world).await else { unreachable!() };
    // The server may close while the frame is still on its way.
    let _ = socket.send(WsMessage::text("x".repeat(2 * FRAME_BYTES_MAX))).await;
    let end = loop {
        match socket.next().await {
            Some(Ok(WsMessage::Text(text))) => panic!("{text}"),
            Some(Ok(_)) => {}
            end => break end,
        }
    };
    assert!(matches!(end, None | Some(Err(_))), "{end:?}");
    assert_eq!(world.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn a_message_too_long_for_a_frame_is_cut_for_watchers() {
    let world = World::new().await;
    let mut client = Client::ws(&world).await;
    client.watch("cli:me").await;
    client.watched().await;
    let text = "茶".repeat(FRAME_BYTES_MAX / 2);
    world.kernel.say(&session("cli:me:default"), &text).await;
    let message = client.message().await;
    assert!(message.text.starts_with("茶茶") && message.text.ends_with(" …"));
    assert!(message.text.len() < FRAME_BYTES_MAX);
}

#[tokio::test]
async fn a_binary_message_is_no_frame() {
    let world = World::new().await;
    let mut client = Client::ws(&world).await;
    let Client::Ws(socket) = &mut client else { unreachable!() };
    socket.send(WsMessage::binary(vec![1, 2])).await.unwrap();
    assert_eq!(client.failed().await.1, "invalid");
}

#[tokio::test]
async fn a_silent_websocket_client_is_asked_and_then_let_go() {
    let world = World::new().await;
    let Client::Ws(mut socket) = Client::ws(&world).await else { unreachable!() };
    let clock = &world.kernel.clock;
    clock.somebody_sleeps(limits::PING_EVERY).await;
    clock.turn(limits::PING_EVERY);
    assert!(matches!(socket.next().await, Some(Ok(WsMessage::Ping(_)))));
    // The pong waits in the client until it writes or reads again; it does neither.
    clock.somebody_sleeps(limits::PING_EVERY).await;
    clock.turn(limits::PING_EVERY * 2);
    let last = loop {
        match socket.next().await {
            Some(Ok(WsMessage::Ping(_))) => {}
            last => break last,
        }
    };
    assert!(matches!(last, Some(Ok(WsMessage::Close(_))) | None | Some(Err(_))), "{last:?}");
}

#[tokio::test]
async fn clients_are_let_go_when_hearth_stops() {
    let world = World::new().await;
    let clients = Client::both(&world).await;
    assert_eq!(world.kernel.hub.clients(), 2);
    world.tasks.shutdown().cancel();
    for mut client in clients {
        assert_eq!(client.next().await, None);
    }
    world.tasks.stop().await;
    assert_eq!(world.kernel.hub.clients(), 0);
}

#[tokio::test]
async fn the_websocket_takes_the_token_in_the_query() {
    let world = World::new().await;
    let good = connect_async(format!("ws://{}/ws?token=secret-token", world.address)).await;
    assert!(good.is_ok());
    match connect_async(format!("ws://{}/ws?token=wrong", world.address)).await {
        Err(Error::Http(response)) => assert_eq!(response.status(), 401),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_was_asked_is_answered_although_hearth_stops() {
    for at in 0..2 {
        let world = World::new().await;
        let mut clients = Client::both(&world).await;
        let client = &mut clients[at];
        let call = json!({"method": "setting_set", "key": "agent.stop", "value": true});
        client.send(json!({"type": "call", "id": "c1", "call": call})).await;
        let ServerFrame::Result { id, .. } = client.frame().await else { panic!("it is answered") };
        assert_eq!(id, "c1");
        world.tasks.stop().await;
    }
}
