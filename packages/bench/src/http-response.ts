export interface Reply {
  readonly status: number
  readonly body: Buffer
}

interface Head {
  readonly status: number
  /** Bytes of the body. Undefined if it is chunked or ends with the connection. */
  readonly length: number | undefined
  readonly isChunked: boolean
  readonly keepsAlive: boolean
}

const endOfHead = '\r\n\r\n'
const lineEnd = '\r\n'

/** Of a head, the size of a chunk or a trailer. */
const textBytesMax = 64 * 1024

/** Reads one HTTP/1.1 response from the pieces in which it arrives. */
export class ResponseReader {
  #head: Head | undefined
  /** The beginning of a head or a line whose end has not arrived. */
  #unread: Buffer | undefined
  readonly #body: Buffer[] = []
  /** Bytes of the body or of a chunk that have not arrived. */
  #bytesLeft = 0
  #chunkPart: 'size' | 'end' | 'trailer' = 'size'

  /** Whether any part of the response has arrived. */
  get hasBegun(): boolean {
    return this.#head !== undefined || this.#unread !== undefined
  }

  /** Whether the connection serves another request after this response. */
  get keepsAlive(): boolean {
    return this.#head?.keepsAlive ?? false
  }

  /** Returns the response when it is complete. */
  push(piece: Buffer): Reply | undefined {
    let bytes = piece
    while (!this.#head) {
      if (this.#unread) bytes = Buffer.concat([this.#unread, bytes])
      const end = bytes.indexOf(endOfHead)
      if (end < 0) return this.#keepUnread(bytes)
      this.#unread = undefined
      const head = parseHead(bytes.toString('latin1', 0, end))
      bytes = bytes.subarray(end + endOfHead.length)
      // Before an informational response the client waits for the real one.
      if (head.status < 200) continue
      this.#head = head
      this.#bytesLeft = head.length ?? 0
    }
    return this.#head.isChunked ? this.#pushChunks(bytes) : this.#pushBody(bytes, this.#head)
  }

  /** The connection ended: returns the response if that completes it. */
  end(): Reply | undefined {
    const endsBody = this.#head && this.#head.length === undefined && !this.#head.isChunked
    return endsBody ? this.#complete() : undefined
  }

  #pushBody(bytes: Buffer, { length }: Head): Reply | undefined {
    if (bytes.length > 0) this.#body.push(bytes)
    if (length === undefined) return undefined
    this.#bytesLeft -= bytes.length
    if (this.#bytesLeft < 0) throw new Error('The response is longer than its content-length')
    return this.#bytesLeft === 0 ? this.#complete() : undefined
  }

  #pushChunks(piece: Buffer): Reply | undefined {
    const bytes = this.#unread ? Buffer.concat([this.#unread, piece]) : piece
    this.#unread = undefined
    for (let at = 0; ; ) {
      if (this.#bytesLeft > 0) {
        const data = bytes.subarray(at, at + this.#bytesLeft)
        if (data.length > 0) this.#body.push(data)
        this.#bytesLeft -= data.length
        at += data.length
        if (this.#bytesLeft > 0) return undefined
        this.#chunkPart = 'end'
      }
      const end = bytes.indexOf(lineEnd, at)
      if (end < 0) return this.#keepUnread(bytes.subarray(at))
      const line = bytes.toString('latin1', at, end)
      at = end + lineEnd.length
      if (this.#chunkPart === 'trailer') {
        if (line === '') return this.#complete()
      } else if (this.#chunkPart === 'end') {
        if (line !== '') throw new Error('A chunk of the response is longer than its size')
        this.#chunkPart = 'size'
      } else {
        this.#bytesLeft = parseChunkSize(line)
        if (this.#bytesLeft === 0) this.#chunkPart = 'trailer'
      }
    }
  }

  #keepUnread(bytes: Buffer): undefined {
    if (bytes.length > textBytesMax) throw new Error(`The head of the response is longer than ${textBytesMax} bytes`)
    if (bytes.length > 0) this.#unread = bytes
  }

  #complete(): Reply {
    const body = this.#body.length === 1 ? (this.#body[0] as Buffer) : Buffer.concat(this.#body)
    return { status: this.#head?.status ?? 0, body }
  }
}

function parseHead(text: string): Head {
  const status = /^HTTP\/1\.([01]) (\d{3})/.exec(text)
  if (!status) throw new Error(`Not an HTTP/1.1 response: ${text.slice(0, 100)}`)
  const code = Number(status[2])
  const isChunked = /\r\ntransfer-encoding:[ \t]*chunked/i.test(text)
  const length = /\r\ncontent-length:[ \t]*(\d+)/i.exec(text)?.[1]
  const hasNoBody = code < 200 || code === 204 || code === 304
  return {
    status: code,
    length: hasNoBody ? 0 : isChunked || length === undefined ? undefined : Number(length),
    isChunked: isChunked && !hasNoBody,
    keepsAlive: status[1] === '1' && !/\r\nconnection:[ \t]*close/i.test(text),
  }
}

/** An extension may follow the size. */
function parseChunkSize(line: string): number {
  const size = /^([\da-f]{1,12})[ \t]*(?:;|$)/i.exec(line)?.[1]
  if (size === undefined) throw new Error(`Not the size of a chunk: ${line.slice(0, 100)}`)
  return Number.parseInt(size, 16)
}
