import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EventRow } from '../store.ts'
import { decodeColumns } from './column-codec.ts'
import { blockSizeOf, NgramFilter } from './ngram-filter.ts'
import { PayloadTokenizer } from './payload-tokenizer.ts'
import { SegmentWriter } from './segment-writer.ts'

const rowWith = (payload: string, position: number): EventRow => ({
  position,
  id: '00000000-0000-7000-8000-000000000000',
  occurred: position,
  received: position,
  event: 'an.event',
  resource_id: 'a',
  resource: '{"prefect.resource.id":"a"}',
  related: '[]',
  payload,
  follows: null,
})

/** More payloads than a writer remembers, a long one that it does not remember, and one that is too long for tokens. */
const texts = [
  ...Array.from({ length: 250 }, (_, n) => `{"Number":${n},"state":"RUNNING"}`),
  `{"text":"${'Long '.repeat(300)}"}`,
  `{"text":"${'Longest '.repeat(1200)}"}`,
]
const payloads = fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 400 })

test('encodes repeated payloads like payloads that are analyzed one by one', () => {
  fc.assert(
    fc.property(payloads, (given) => {
      const writer = new SegmentWriter(given.length)
      const filter = new NgramFilter(blockSizeOf(given.length))
      const tokenizer = new PayloadTokenizer()
      for (const [index, payload] of given.entries()) {
        writer.add(rowWith(payload, index))
        filter.addPayload(index, payload.toLowerCase())
        tokenizer.add(payload.toLowerCase())
      }
      expect(decodeColumns(writer.encodePart('grams'))?.[0]).toEqual(filter.payloads)
      const columns = decodeColumns(writer.encodePart('payloads')) ?? []
      expect(columns.map((column) => [...column])).toEqual(tokenizer.encode().map((column) => [...column]))
    }),
    { numRuns: 30 },
  )
})
