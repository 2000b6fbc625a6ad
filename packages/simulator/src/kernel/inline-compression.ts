import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'

/**
 * Compresses on the calling thread, because the thread pool finishes in an order that no seed decides. Must be called before the server is loaded, which
 * keeps a reference to the function.
 */
export function compressInline(): void {
  const compress = (bytes: Uint8Array, options: zlib.ZstdOptions, done: (error: Error | null, result: Buffer) => void) =>
    done(null, zlib.zstdCompressSync(bytes, options))
  zlib.zstdCompress = compress as typeof zlib.zstdCompress
  syncBuiltinESMExports()
}
