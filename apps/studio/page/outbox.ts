// Messages that change the document, one after the other: each waits for the answer to the one before it. None is lost
// while the server is away.

export type Outgoing = Record<string, unknown>;

export class Outbox {
  /** What waits or is unanswered has changed. */
  onChange: () => void = () => undefined;
  private readonly waiting: Outgoing[] = [];
  private asked: Outgoing | undefined;
  private isOpen = false;
  private sent = 0;

  constructor(private readonly send: (message: Outgoing) => void) {}

  /** Of consecutive messages of one kind, such as typed letters or a moving slider, only the last one counts. */
  add(message: Outgoing): void {
    const last = this.waiting[this.waiting.length - 1];
    if (last?.kind && last.kind === message.kind) this.waiting[this.waiting.length - 1] = message;
    else this.waiting.push(message);
    this.pump();
  }
  /** The server has answered the message of this number. */
  answered(n: number): void {
    if (this.asked?.n !== n) return;
    this.asked = undefined;
    this.pump();
  }
  open(): void {
    this.isOpen = true;
    this.pump();
  }
  /** The connection has ended; the answer will not come. A value or a text may be sent again. */
  close(): void {
    this.isOpen = false;
    if (this.asked && ["text", "set"].includes(String(this.asked.type))) this.waiting.unshift(this.asked);
    this.asked = undefined;
    this.onChange();
  }
  /** Whether a message of such a type waits or is unanswered. */
  has(isWanted: (message: Outgoing) => boolean): boolean {
    return [...this.waiting, ...(this.asked ? [this.asked] : [])].some(isWanted);
  }

  private pump(): void {
    while (this.isOpen && !this.asked && this.waiting.length > 0) {
      this.asked = { ...this.waiting.shift(), n: ++this.sent };
      this.send(this.asked);
    }
    this.onChange();
  }
}
