// Messages that change the document, one after the other: each waits for the answer to the one before it. None is lost
// while the server is away.

export type Outgoing = Record<string, unknown>;

export class Outbox {
  /** What waits or is unanswered has changed. */
  onChange: () => void = () => undefined;
  /** The connection has ended before a message was answered that cannot be sent twice. */
  onDoubt: (message: Outgoing) => void = () => undefined;
  private readonly waiting: Outgoing[] = [];
  private asked: Outgoing | undefined; // with its number
  private unnumbered: Outgoing | undefined; // the same, as it was added
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
  /** The one text is sent, next, in place of all that wait. */
  replaceTexts(message: Outgoing): void {
    const rest = this.waiting.filter(({ type }) => type !== "text");
    this.waiting.splice(0, this.waiting.length, message, ...rest);
    this.pump();
  }
  /** The server has answered the message of this number, which is returned. */
  answered(n: number): Outgoing | undefined {
    if (this.asked?.n !== n) return undefined;
    const message = this.unnumbered;
    this.asked = undefined;
    this.pump();
    return message;
  }
  open(): void {
    this.isOpen = true;
    this.pump();
  }
  /** The connection has ended; the answer will not come. A value or a text may be sent again. */
  close(): void {
    this.isOpen = false;
    const { asked } = this;
    this.asked = undefined;
    if (asked && ["text", "set"].includes(String(asked.type))) this.waiting.unshift(asked);
    else if (asked) this.onDoubt(asked);
    this.onChange();
  }
  /** Sends all that waits, without waiting for answers: the page is about to go. Whether something is unanswered. */
  hurry(): boolean {
    for (const message of this.isOpen ? this.waiting.splice(0) : []) {
      this.asked = this.numbered(message);
      this.send(this.asked);
    }
    this.onChange();
    return this.asked !== undefined || this.waiting.length > 0;
  }
  /** Whether a message of such a type waits or is unanswered. */
  has(isWanted: (message: Outgoing) => boolean): boolean {
    return [...this.waiting, ...(this.asked ? [this.asked] : [])].some(isWanted);
  }

  private pump(): void {
    while (this.isOpen && !this.asked && this.waiting.length > 0) {
      this.asked = this.numbered(this.waiting.shift() as Outgoing);
      this.send(this.asked);
    }
    this.onChange();
  }
  /** The number comes first, where the server finds it in a message that it cannot read. */
  private numbered(message: Outgoing): Outgoing {
    this.unnumbered = message;
    return { ...{ n: 0 }, ...message, n: ++this.sent };
  }
}
