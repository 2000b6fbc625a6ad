import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { LruCache } from '../lib/lru-cache.ts'
import { acceptedEncodings } from './static-files.ts'

/** More than all files of the dashboard, the documentation and the API reference that browsers request. */
const bytesMax = 32 * 1024 * 1024

/** Shorter contents become hardly smaller. */
const compressBytesMin = 1024

export type ContentEncoding = 'br' | 'gzip' | 'identity'

const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Compresses off the event loop. */
const compress = {
  br: (content: Buffer): Promise<Buffer> => promisify(brotliCompress)(content, brotliOptions),
  gzip: (content: Buffer): Promise<Buffer> => promisify(gzip)(content),
}

/** The encoding for a text of this size, by what the client accepts. */
export function chooseEncoding(acceptEncoding: string | undefined, bytes: number): ContentEncoding {
  if (bytes < compressBytesMin) return 'identity'
  const accepted = acceptedEncodings(acceptEncoding)
  return (['br', 'gzip'] as const).find((each) => accepted.includes(each)) ?? 'identity'
}

/**
 * Contents of static files. All responses with a file share one buffer for each encoding, so that clients which request a file often and do not read it
 * cost neither memory nor a compression each.
 */
export class ContentCache {
  readonly #contents = new LruCache<string, Promise<Buffer>>({ entriesMax: 2000, weightMax: bytesMax })

  /** The content of a key, which identifies a version of a file. `read` is called if it is not known. */
  async load(key: string, encoding: ContentEncoding, read: () => Promise<Buffer>): Promise<Buffer> {
    if (encoding === 'identity') return this.#once(`${key} identity`, read)
    return this.#once(`${key} ${encoding}`, async () => compress[encoding](await this.load(key, 'identity', read)))
  }

  /** Requests that arrive while a content is read wait for the same one. */
  #once(key: string, make: () => Promise<Buffer>): Promise<Buffer> {
    const known = this.#contents.get(key)
    if (known !== undefined) return known
    const making = make()
    this.#contents.set(key, making)
    making.then(
      (content) => this.#contents.set(key, making, content.length),
      () => this.#contents.delete(key),
    )
    return making
  }
}
