import { type MessagePort, parentPort } from 'node:worker_threads'
import type { EventRow } from '../store.ts'
import { type EncodedSegment, SegmentBuilder } from './segment-builder.ts'

/** `begin` discards a segment that was not encoded, and has no answer. */
export type BuildRequest = { readonly begin: number } | { readonly add: readonly EventRow[] } | { readonly encode: true }

/** One for each `add` and `encode`, in their order. */
export type BuildAnswer = { readonly added: true } | { readonly encoded: EncodedSegment } | { readonly failure: string }

/** The entry point of the thread that builds segments, one at a time. */
function serve(port: MessagePort): void {
  let builder: SegmentBuilder | undefined
  let last = Promise.resolve()

  async function handle(request: BuildRequest): Promise<void> {
    if ('begin' in request) {
      builder = new SegmentBuilder(request.begin)
      return
    }
    try {
      if (!builder) throw new Error('The thread was replaced while it built a segment')
      if ('add' in request) {
        await builder.add(request.add)
        port.postMessage({ added: true } satisfies BuildAnswer)
        return
      }
      const encoded = withOwnBytes(await builder.encode())
      port.postMessage({ encoded } satisfies BuildAnswer, [
        encoded.directory.buffer,
        ...encoded.parts.map(({ body }) => body.buffer),
      ] as ArrayBuffer[])
    } catch (error) {
      port.postMessage({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) } satisfies BuildAnswer)
    }
  }

  // In turn: a request may arrive while the one before it waits for a compression.
  port.on('message', (request: BuildRequest) => {
    last = last.then(() => handle(request))
  })
}

/** A buffer that is a part of a larger one would be sent with all of it. */
const withOwnBytes = ({ bounds, directory, parts }: EncodedSegment): EncodedSegment => ({
  bounds,
  directory: new Uint32Array(directory),
  parts: parts.map(({ body, ...part }) => ({ ...part, body: new Uint8Array(body) })),
})

if (parentPort) serve(parentPort)
