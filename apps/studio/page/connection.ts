// The server by WebSocket: messages of docs/studio.md.
import { Header } from "./message";
import { MembersMessage, SweepMessage } from "./sweep";

export interface Fault {
  line: number;
  column: number;
  path: string;
  text: string;
}
export interface Parameter {
  name: string;
  value?: number;
  expression?: string;
}
export interface DocumentMessage {
  type: "document";
  text: string;
  file: string;
  dirty: boolean;
  undo: number;
  redo: number;
  recovered: boolean;
  /** Why unsaved work is not kept; empty: it is. */
  copy_fault: string;
  /** The number of the message that this answers. */
  answers: number;
  /** How often the file has been read again. */
  reloads: number;
  /** How often a program has changed it. */
  programs: number;
  faults: Fault[];
  parameters: Parameter[];
  items: Record<string, Record<string, string>[]>;
}
export interface StatusMessage {
  type: "status";
  running: boolean;
  failed: boolean;
  live: boolean;
  paused: boolean;
  text: string;
  t: number;
  wall: number;
}
/** What becomes of the rows before those that follow: of the first `rows` every stride-th one stays. */
export interface KeepMessage {
  type: "keep";
  rows: number;
  stride: number;
}
export interface Control {
  name: string;
  slider: boolean;
  lower: number;
  upper: number;
  value: number;
}
export type ServerMessage =
  | DocumentMessage
  | StatusMessage
  | { type: "hello"; editor: boolean; document: boolean }
  | { type: "scene"; header: Header }
  | { type: "ghost"; name: string; header: Header }
  | { type: "controls"; list: Control[] }
  | KeepMessage
  | SweepMessage
  | MembersMessage
  | { type: "error"; text: string; answers: number }
  | { type: "table"; name: string }
  | { type: "changed"; gone?: boolean; same?: boolean }
  | { type: "saved" };

export class Connection {
  onMessage: (message: ServerMessage) => void = () => undefined;
  onBlock: (kind: number, rows: number, block: ArrayBuffer) => void = () => undefined;
  onState: (isOpen: boolean) => void = () => undefined;
  /** Another studio answers at this address, to whom the page is a stranger. */
  onStranger: () => void = () => undefined;
  private socket: WebSocket | undefined;

  open(): void {
    if (location.protocol === "about:") this.openFrame();
    else this.openSocket();
  }
  /** In a frame of a notebook, whose widget carries the messages; bytes come as they do from the server. */
  private openFrame(): void {
    window.addEventListener("message", (event: MessageEvent<string | ArrayBuffer>) => {
      if (event.source === window.parent) this.take(event.data);
    });
    this.send({ type: "join" });
    this.onState(true);
  }
  private take(data: string | ArrayBuffer): void {
    if (typeof data === "string") {
      this.onMessage(JSON.parse(data) as ServerMessage);
    } else {
      const [kind, rows] = new Uint32Array(data, 0, 2);
      this.onBlock(kind, rows, data.slice(8));
    }
  }
  private openSocket(): void {
    const token = new URLSearchParams(location.search).get("token") ?? "";
    const socket = new WebSocket(`ws://${location.host}/socket?token=${encodeURIComponent(token)}`);
    socket.binaryType = "arraybuffer";
    let hasOpened = false;
    socket.onopen = () => {
      hasOpened = true;
      this.onState(true);
    };
    socket.onclose = () => {
      this.onState(false);
      if (!hasOpened) void this.askWhetherStrange();
      window.setTimeout(() => this.open(), 1500);
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.take(event.data);
    this.socket = socket;
  }
  private async askWhetherStrange(): Promise<void> {
    try {
      if ((await fetch(location.href)).status === 403) this.onStranger();
    } catch {
      // nobody answers
    }
  }
  send(message: Record<string, unknown>): void {
    if (location.protocol === "about:") window.parent.postMessage(message, "*");
    else if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
