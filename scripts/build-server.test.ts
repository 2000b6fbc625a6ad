import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { builtServer, serverEntries } from './build-server.ts'

test('builds the schema worker beside the server bundle', async () => {
  const entry = new URL('./schema-worker.mjs', await builtServer())
  const worker = new Worker(entry, { workerData: { phase: new SharedArrayBuffer(4) }, env: {}, execArgv: [] })
  const received = () => new Promise((resolve, reject) => void worker.once('message', resolve).once('error', reject))
  expect(await received()).toEqual({ ready: true })
  // The template engine is loaded lazily, by the first form that needs it.
  const values = JSON.stringify({ a: { __prefect_kind: 'json', value: '[1]' } })
  worker.postMessage({ operation: 'checkForm', request: { schema: '{"properties":{"a":{"type":"array"}}}', values, variables: [] } })
  expect(await received()).toEqual({ answer: { answer: { errors: [], valid: true } } })
  await worker.terminate()
})

test.each(Object.keys(serverEntries))('has only ASCII in the bundle %s, which halves its text in memory', async (name) => {
  const bytes = readFileSync(new URL(`./${name}.mjs`, await builtServer()))
  expect(bytes.toString().length).toBe(bytes.length)
})
