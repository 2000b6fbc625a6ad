/** Payload hashes. A block has some thousand n-grams, so a third of its bits are set when it is full of task run events. */
const payloadHashCount = 1 << 14
/** Label hashes. A segment has some ten thousand n-grams. */
const labelHashCount = 1 << 17
const blockCount = 32
const ngramLength = 4
const allBlocks = 0xffffffff

/** Events per block of a segment with at most `size` events. */
export const blockSizeOf = (size: number): number => Math.ceil(size / blockCount)

/** Legacy segments do not store it. */
export const legacyBlockSize = blockSizeOf(4096)

/**
 * The 4-grams in the payloads and labels of a segment. It excludes places where a text cannot be; other places must be searched. For payloads it has one bit
 * per block of events under each hash. Texts must be in lower case.
 */
export class NgramFilter {
  /** Events per block. */
  readonly blockSize: number
  readonly payloads: Uint32Array
  readonly labels: Uint32Array

  constructor(
    blockSize: number,
    payloads: Uint32Array = new Uint32Array(payloadHashCount),
    labels: Uint32Array = new Uint32Array(labelHashCount / 32),
  ) {
    this.blockSize = blockSize
    this.payloads = payloads
    this.labels = labels
  }

  blockOf(event: number): number {
    return Math.floor(event / this.blockSize)
  }

  addPayload(event: number, text: string): void {
    const bit = 1 << this.blockOf(event)
    const { payloads } = this
    let ngram = 0
    for (let at = 0; at < text.length; at += 1) {
      ngram = shiftIn(ngram, text.charCodeAt(at))
      if (at < ngramLength - 1) continue
      const hash = hashNgram(ngram, payloadHashCount)
      payloads[hash] = (payloads[hash] as number) | bit
    }
  }

  addLabel(text: string): void {
    let ngram = 0
    for (let at = 0; at < text.length; at += 1) {
      ngram = shiftIn(ngram, text.charCodeAt(at))
      if (at < ngramLength - 1) continue
      const hash = hashNgram(ngram, labelHashCount)
      this.labels[hash >>> 5] = (this.labels[hash >>> 5] as number) | (1 << (hash & 31))
    }
  }

  /** The blocks whose payloads may contain the text, one bit each. */
  candidateBlocks(text: string): number {
    let found = allBlocks
    let ngram = 0
    for (let at = 0; at < text.length && found !== 0; at += 1) {
      ngram = shiftIn(ngram, text.charCodeAt(at))
      if (at >= ngramLength - 1) found &= this.payloads[hashNgram(ngram, payloadHashCount)] as number
    }
    return found >>> 0
  }

  mayContainLabel(text: string): boolean {
    let ngram = 0
    for (let at = 0; at < text.length; at += 1) {
      ngram = shiftIn(ngram, text.charCodeAt(at))
      if (at < ngramLength - 1) continue
      const hash = hashNgram(ngram, labelHashCount)
      if (((this.labels[hash >>> 5] as number) & (1 << (hash & 31))) === 0) return false
    }
    return true
  }
}

/** The low bytes of the last four characters. Collisions only cause a needless search. */
const shiftIn = (ngram: number, code: number): number => (ngram << 8) | (code & 0xff)

const hashNgram = (ngram: number, hashes: number): number => (Math.imul(ngram, 0x9e3779b1) >>> 15) & (hashes - 1)
