/** Hashes of payloads: a block has some thousand pieces, so that a third of its bits are set when it is full of task runs' events. */
const payloadHashCount = 1 << 14
/** Hashes of labels: a chapter has some ten thousand pieces. */
const labelHashCount = 1 << 17
export const blockCount = 32
const ngramLength = 4
const allBlocks = 0xffffffff

/**
 * Which pieces of four characters the payloads and the labels of a chapter have. Says where a text cannot be; where it may be, one has to look. Of
 * payloads also in which of the chapter's blocks, a bit for each block under each hash. Texts must be in small letters.
 */
export class NgramFilter {
  readonly payloads: Uint32Array
  readonly labels: Uint32Array

  constructor(payloads: Uint32Array = new Uint32Array(payloadHashCount), labels: Uint32Array = new Uint32Array(labelHashCount / 32)) {
    this.payloads = payloads
    this.labels = labels
  }

  addPayload(block: number, text: string): void {
    const bit = 1 << block
    const { payloads } = this
    let gram = 0
    for (let at = 0; at < text.length; at += 1) {
      gram = shiftIn(gram, text.charCodeAt(at))
      if (at < ngramLength - 1) continue
      const hash = hashNgram(gram, payloadHashCount)
      payloads[hash] = (payloads[hash] as number) | bit
    }
  }

  addLabel(text: string): void {
    let gram = 0
    for (let at = 0; at < text.length; at += 1) {
      gram = shiftIn(gram, text.charCodeAt(at))
      if (at < ngramLength - 1) continue
      const hash = hashNgram(gram, labelHashCount)
      this.labels[hash >>> 5] = (this.labels[hash >>> 5] as number) | (1 << (hash & 31))
    }
  }

  /** The blocks whose payloads may have the text, a bit for each. */
  candidateBlocks(text: string): number {
    let found = allBlocks
    let gram = 0
    for (let at = 0; at < text.length && found !== 0; at += 1) {
      gram = shiftIn(gram, text.charCodeAt(at))
      if (at >= ngramLength - 1) found &= this.payloads[hashNgram(gram, payloadHashCount)] as number
    }
    return found >>> 0
  }

  mayContainLabel(text: string): boolean {
    let gram = 0
    for (let at = 0; at < text.length; at += 1) {
      gram = shiftIn(gram, text.charCodeAt(at))
      if (at < ngramLength - 1) continue
      const hash = hashNgram(gram, labelHashCount)
      if (((this.labels[hash >>> 5] as number) & (1 << (hash & 31))) === 0) return false
    }
    return true
  }
}

/** The last four characters, a byte of each: others that share the byte are found as well, which does no harm. */
const shiftIn = (ngram: number, code: number): number => (ngram << 8) | (code & 0xff)

const hashNgram = (ngram: number, hashes: number): number => (Math.imul(ngram, 0x9e3779b1) >>> 15) & (hashes - 1)
