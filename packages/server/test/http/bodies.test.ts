import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proofSize } from '../proof-size.ts'
import { startApp, type TestApp } from '../setup.ts'
import { type SendRequest, startInMemoryApp, startRawClient } from './in-memory-app.ts'

const json = { 'content-type': 'application/json' }
const million = 1_000_000

const repeat = (count: number, piece: (index: number) => string, between = ','): string =>
  Array.from({ length: count }, (_, index) => piece(index)).join(between)

const nestedTriggers = (depth: number, type: string): string =>
  depth === 0 ? '{"type":"event","threshold":"x"}' : `{${type}"require":"any","within":10,"triggers":[${nestedTriggers(depth - 1, type)}]}`

/** Each with the words by which the refusal is known. */
const hostile: readonly [name: string, path: string, body: () => string, type: string | null][] = [
  ['a million keys for parameters', '/flows/bulk_delete', () => `{${repeat(million, (i) => `"k${i}":1`)}}`, 'json_too_large'],
  ['a million keys for an object', '/flows/', () => `{"name":"x",${repeat(million, (i) => `"k${i}":1`)}}`, 'json_too_large'],
  ['100,000 unknown keys', '/flows/', () => `{"name":"x",${repeat(100_000, (i) => `"k${i}":1`)}}`, 'extra_forbidden'],
  ['100,000 wrong items', '/flows/', () => `{"name":"x","tags":[${repeat(100_000, () => '1')}]}`, 'too_long'],
  ['100,000 wrong labels', '/flows/', () => `{"name":"x","labels":{${repeat(100_000, (i) => `"k${i}":[]`)}}}`, 'too_long'],
  ['millions of items', '/flows/', () => `{"name":"x","tags":[${'1,'.repeat(7_000_000)}1]}`, 'json_too_large'],
  ['millions of exact numbers', '/flows/', () => `{"name":"x","tags":[${'1.0,'.repeat(3_500_000)}1]}`, 'json_too_large'],
  ['millions of empty lists', '/flows/bulk_delete', () => `{"x":[${'[],'.repeat(4_000_000)}[]]}`, 'json_too_large'],
  ['millions of open lists', '/flows/bulk_delete', () => '['.repeat(15 * million), 'json_too_deep'],
  ['millions of open objects', '/flows/bulk_delete', () => '{"a":'.repeat(3 * million), 'json_too_deep'],
  ['101 deep', '/variables/', () => `{"name":"x","value":${'['.repeat(100)}${']'.repeat(100)}}`, 'json_too_deep'],
  ['millions of blanks', '/flows/bulk_delete', () => `{${' '.repeat(10 * million)}`, 'json_too_large'],
  ['a string without end', '/flows/bulk_delete', () => `{"x":1.0,"y":"${'x'.repeat(15 * million)}`, 'json_invalid'],
  ['millions of backslashes', '/flows/bulk_delete', () => `{"y":"${'\\'.repeat(15 * million - 1)}"}`, 'json_invalid'],
  ['a number of millions of digits', '/flows/bulk_delete', () => `{"limit":${'9'.repeat(15 * million)}}`, 'json_too_large'],
  ['a text of millions of digits for a number', '/flows/bulk_delete', () => `{"limit":"${'9'.repeat(15 * million)}"}`, 'int_parsing'],
  ['a text of millions of blanks for a number', '/flows/bulk_delete', () => `{"limit":"${' '.repeat(15 * million)}x"}`, 'int_parsing'],
  [
    'texts of millions of digits for times and durations',
    '/flow_runs/history',
    () =>
      `{"history_start":"${'9'.repeat(million / 2)}","history_end":"${'1-'.repeat(million / 4)}","history_interval_seconds":"P${'1'.repeat(million / 2)}"}`,
    'value_error',
  ],
  ['a large body in which fields are missing', '/flow_runs/history', () => `{"x":[${repeat(9000, () => `"${'x'.repeat(200)}"`)}]}`, 'missing'],
  [
    'triggers in triggers in triggers',
    '/automations/',
    () => `{"name":"x","actions":[],"trigger":${nestedTriggers(40, '"type":"compound",')}}`,
    null,
  ],
  ['triggers in triggers without a type', '/automations/', () => `{"name":"x","actions":[],"trigger":${nestedTriggers(40, '')}}`, null],
  ['many objects with __proto__', '/flows/bulk_delete', () => `[${repeat(40_000, () => '{"__proto__":1}')}]`, 'missing'],
  ['NaN', '/flows/filter', () => '{"limit":NaN}', 'json_invalid'],
  ['Infinity', '/flows/filter', () => '{"limit":-Infinity}', 'json_invalid'],
  ['a number beyond all numbers', '/flows/filter', () => '{"limit":1e999}', 'finite_number'],
  ['an integer beyond what is exact', '/flows/filter', () => '{"limit":12345678901234567890}', 'int_parsing_size'],
  ['half a character', '/flows/', () => '{"name":"\\ud800"}', 'string_unicode'],
  ['half a character in a tag', '/flows/', () => '{"name":"x","tags":["\\udfff"]}', 'string_unicode'],
  ['NUL', '/flows/', () => '{"name":"a\\u0000b"}', 'string_unicode'],
  ['NUL itself', '/flows/', () => '{"name":"a\u0000b"}', 'json_invalid'],
  ['a list', '/flows/', () => '[]', 'model_attributes_type'],
  ['a word', '/flows/', () => '"flow"', 'model_attributes_type'],
  ['null', '/flows/', () => 'null', 'model_attributes_type'],
  ['__proto__', '/flows/', () => '{"name":"x","__proto__":{"name":"y"}}', 'extra_forbidden'],
  ['constructor', '/flows/', () => '{"name":"x","constructor":{"prototype":{"y":1}}}', 'extra_forbidden'],
  ['comments', '/flows/filter', () => '{/* */}', 'json_invalid'],
  ['two values', '/flows/filter', () => '{} {}', 'json_invalid'],
  ['two marks of the byte order', '/flows/filter', () => '\ufeff\ufeff{}', 'json_invalid'],
  ['a form', '/flows/filter', () => 'limit=3', 'json_invalid'],
]

/** Caches of a busy machine can double the CPU time. */
const cpuMsMax = proofSize(400, 200)

/** CPU time of this thread in milliseconds, the best of three. */
async function measureFastestMs(act: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && best >= cpuMsMax; attempt += 1) {
    const began = process.threadCpuUsage()
    await act()
    const { user, system } = process.threadCpuUsage(began)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}

describe('hostile bodies', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp('sqlite::memory:', { env: { MILLRACE_DATABASE_MIGRATE_ON_START: 'true' } })
    await app.call('POST', '/flows/filter', {})
  })
  afterAll(() => app.close())

  test.each(hostile)('rejects at once: %s', async (_name, path, body, type) => {
    const text = body()
    const { status, body: answer } = await app.call('POST', path, text)
    expect(status).toBe(422)
    expect(answer).toMatchObject({ code: 'INVALID_REQUEST', exception_message: 'Invalid request received.' })
    expect(answer.detail.length).toBeLessThanOrEqual(100)
    if (type !== null) expect(answer.detail[0].type).toBe(type)
    expect(JSON.stringify(answer).length).toBeLessThan(100_000)
    expect(await measureFastestMs(() => app.call('POST', path, text))).toBeLessThan(cpuMsMax)
  })

  test('store nothing', async () => {
    expect((await app.call('POST', '/flows/filter', {})).body).toEqual([])
    expect((await app.call('POST', '/automations/filter', {})).body).toEqual([])
    expect(await app.eventNames()).toEqual([])
    expect(({} as { y?: number }).y).toBeUndefined()
  })
})

test('reports a JSON fault with its position', async () => {
  const app = await startInMemoryApp()
  for (const [text, position] of [
    ['{"a": }', 6],
    ['{"a" 1}', 5],
    ['{', 1],
    ['{"a":1}}', 7],
    ['nul', 0],
    [`{"long":"${'x'.repeat(200)}","a":tru}`, 215],
  ] as const) {
    const { status, body } = await app.call('POST', '/flows/filter', text)
    expect([text, status, body.detail[0]]).toMatchObject([
      text,
      422,
      { loc: ['body', position], type: 'json_invalid', msg: 'JSON decode error', input: {} },
    ])
  }
})

describe('sizes', () => {
  test('accepts a body of the limit and rejects one byte more with 413, with and without Content-Length', async () => {
    const app = await startInMemoryApp({ MILLRACE_SERVER_BODY_LIMIT_BYTES: '1000' })
    const say = await startRawClient(app)
    const body = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`
    expect((await say('POST', '/flows/', json, body(1000))).status).toBe(201)
    const sized = await say('POST', '/flows/', json, body(1001))
    const chunked = await say('POST', '/flows/', { ...json, 'transfer-encoding': 'chunked' }, body(1001))
    for (const { status, body: answer } of [sized, chunked]) {
      expect(status).toBe(413)
      expect(JSON.parse(answer)).toMatchObject({ code: 'BODY_TOO_LARGE', detail: 'Request body is larger than 1000 bytes' })
    }
    expect((await app.call('POST', '/flows/count', {})).body).toBe(1)
  })

  test('counts bytes, not characters', async () => {
    const app = await startInMemoryApp({ MILLRACE_SERVER_BODY_LIMIT_BYTES: '100' })
    expect((await app.call('POST', '/flows/', { name: 'ü'.repeat(60) })).status).toBe(413)
  })

  test('limits the depth by a setting', async () => {
    const app = await startInMemoryApp({ MILLRACE_SERVER_JSON_DEPTH_LIMIT: '3' })
    expect((await app.call('POST', '/variables/', { name: 'a', value: [[]] })).status).toBe(201)
    const { status, body } = await app.call('POST', '/variables/', `{"name":"b","value":[[[]]]${' '.repeat(100)}}`)
    expect([status, body.detail[0]]).toMatchObject([422, { type: 'json_too_deep', msg: 'JSON exceeds the nesting limit of 3' }])
  })
})

test('reports all parameters as missing if the body is not an object, also those with a default', async () => {
  const app = await startInMemoryApp()
  for (const text of ['0', '1.0', '"limit"', '[]', '[{"limit":1}]', 'true']) {
    const { status, body } = await app.call('POST', '/variables/filter', text)
    expect([status, ...body.detail.map(({ loc, type }: { loc: string[]; type: string }) => `${loc.join('.')} ${type}`)], text).toEqual([
      422,
      ...['body.offset', 'body.variables', 'body.sort', 'body.limit'].map((place) => `${place} missing`),
    ])
    // A complete value of the wrong type gets the expected type.
    expect((await app.call('POST', '/variables/', text)).body.detail).toMatchObject([{ loc: ['body'] }])
  }
  expect((await app.call('POST', '/variables/filter', 'null')).status).toBe(200)
})

test('does not report missing parameters that only this server has', async () => {
  const app = await startInMemoryApp()
  const { body } = await app.call('POST', '/flow_runs/count', '[]')
  const lacking = body.detail.map(({ loc }: { loc: string[] }) => loc[1])
  expect(lacking).toContain('flow_runs')
  expect(lacking).not.toContain('count_up_to')
})

test('ignores a byte order mark', async () => {
  const app = await startInMemoryApp()
  expect(await app.call('POST', '/flows/count', '\ufeff{}', json)).toMatchObject({ status: 200, body: 0 })
})

describe('a body with another content type', () => {
  const refused = { status: 422, body: { detail: [{ loc: ['body'], type: 'missing' }] } }

  test('is read if the body is a list of parameters, and ignored if it is not JSON', async () => {
    const app = await startInMemoryApp()
    await app.call('POST', '/flows/', { name: 'grist' })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream', 'multipart/form-data; boundary=x']) {
      expect((await app.call('POST', '/flows/filter', '{"limit":0}', { 'content-type': type })).body).toEqual([])
      expect((await app.call('POST', '/flows/filter', 'limit=0', { 'content-type': type })).body).toHaveLength(1)
      expect((await app.call('POST', '/flows/filter', '[0]', { 'content-type': type })).body).toHaveLength(1)
    }
  })

  test('does not change objects that were not named', async () => {
    const app = await startInMemoryApp()
    await app.call('POST', '/flows/', { name: 'grist' })
    for (const text of ['flows=none', '{"flows":{"name":{"any_":["chaff"', '\0']) {
      expect((await app.call('POST', '/flows/bulk_delete', text, { 'content-type': 'text/plain' })).status).toBe(422)
    }
    expect((await app.call('POST', '/flows/count', {})).body).toBe(1)
  })

  test('counts as no body if the body is one object', async () => {
    const app = await startInMemoryApp()
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/json', 'application/jsonx/']) {
      const answer = await app.call('POST', '/flows/', '{"name":"grist"}', { 'content-type': type })
      if (answer.status !== 415) expect([type, answer]).toMatchObject([type, refused])
    }
    for (const type of ['application/json', 'APPLICATION/JSON; charset=utf-8', 'application/vnd.millrace+json']) {
      expect([type, (await app.call('POST', '/flows/', '{"name":"grist"}', { 'content-type': type })).status]).toEqual([
        type,
        expect.toSatisfy((s) => s < 300),
      ])
    }
  })

  test('is rejected with 415 if the content type is not valid', async () => {
    const app = await startInMemoryApp()
    const { status, body } = await app.call('POST', '/flows/', '{"name":"grist"}', { 'content-type': 'grist' })
    expect([status, body.code]).toEqual([415, 'UNSUPPORTED_BODY'])
  })

  test('counts as no body if it is empty', async () => {
    const app = await startInMemoryApp()
    for (const text of ['', ' \n']) {
      expect((await app.call('POST', '/flows/filter', text)).status).toBe(200)
      expect(await app.call('POST', '/flows/', text)).toMatchObject(refused)
    }
    const { id } = (await app.call('POST', '/flows/', { name: 'grist' })).body
    expect((await app.call('DELETE', `/flows/${id}`, '')).status).toBe(204)
  })
})

describe('encodings', () => {
  let say: SendRequest
  let app: TestApp
  beforeAll(async () => {
    app = await startApp('sqlite::memory:', { env: { MILLRACE_DATABASE_MIGRATE_ON_START: 'true' } })
    say = await startRawClient(app)
  })
  afterAll(() => app.close())

  test('rejects compressed bodies with 415', async () => {
    for (const encoding of ['gzip', 'GZIP', 'deflate', 'br', 'zstd', 'gzip, identity', 'x']) {
      const { status, body } = await say('POST', '/flows/', { ...json, 'content-encoding': encoding }, gzipSync('{"name":"grist"}'))
      expect([encoding, status, JSON.parse(body).code]).toEqual([encoding, 415, 'UNSUPPORTED_BODY'])
    }
    expect((await say('POST', '/flows/', { ...json, 'content-encoding': 'identity' }, '{"name":"plain"}')).status).toBe(201)
  })

  test('rejects invalid UTF-8', async () => {
    const latin = Buffer.from('{"name":"M\xfcller"}', 'latin1')
    for (const headers of [json, { ...json, 'transfer-encoding': 'chunked' }]) {
      const { status, body } = await say('POST', '/flows/', headers, latin)
      expect([status, JSON.parse(body).detail[0]]).toMatchObject([
        422,
        { loc: ['body', 10], type: 'json_invalid', ctx: { error: 'The body is not UTF-8' } },
      ])
    }
    const { body } = await say('POST', '/flows/', json, Buffer.from('{"name":"Müller"}'))
    expect(JSON.parse(body).name).toBe('Müller')
  })
})

test('uses the last value of a repeated key', async () => {
  const app = await startInMemoryApp()
  expect((await app.call('POST', '/flows/', '{"name":"first","name":"last"}')).body.name).toBe('last')
})

test('repeats invalid input as it was sent, but shortened', async () => {
  const app = await startInMemoryApp()
  const inputOf = async (value: string) => {
    const { body } = await app.server.inject({ method: 'POST', url: '/flows/filter', headers: json, payload: `{"sort":${value}}` })
    return /"input":(.*?)(?:,"ctx"|\}\],"code")/.exec(body)?.slice(1).find(Boolean)
  }
  expect(await inputOf('12345678901234567890')).toBe('12345678901234567890')
  expect(await inputOf('1e999')).toBe('1e999')
  expect(await inputOf('{"__proto__":1.0}')).toBe('{"__proto__":1.0}')
  expect((await inputOf(JSON.stringify('x'.repeat(5000))))!.length).toBeLessThan(2100)
})

test('repeats the object of a missing field', async () => {
  const app = await startInMemoryApp()
  const { body } = await app.call('POST', '/flows/', { tags: ['red'] })
  expect(body.detail).toEqual([{ loc: ['body', 'name'], type: 'missing', msg: 'Field required', input: { tags: ['red'] } }])
})

describe('a 422 repeats the body', () => {
  const bodyOf = async (text: string, type = 'application/json') => {
    const { status, body } = await (await startInMemoryApp()).call('POST', '/flows/', text, { 'content-type': type })
    expect(status).toBe(422)
    return body.request_body
  }

  test('as JSON', async () => {
    expect(await bodyOf('{"name": 5, "tags": ["a"]}')).toEqual({ name: 5, tags: ['a'] })
    expect(await bodyOf('[1, null]')).toEqual([1, null])
    expect(await bodyOf('"flow"')).toBe('flow')
  })

  test('with numbers exactly as they were sent', async () => {
    const { payload } = await (await startInMemoryApp()).server.inject({
      method: 'POST',
      url: '/flows/',
      payload: '{"name":1.0,"x":12345678901234567890}',
    })
    expect(payload).toContain('"request_body":{"name":1.0,"x":12345678901234567890}')
  })

  test('as text if it is not JSON or has another content type', async () => {
    expect(await bodyOf('{"name":')).toBe('{"name":')
    expect(await bodyOf('{"name":5}', 'text/plain')).toBe('{"name":5}')
  })

  test('only if it is short', async () => {
    expect(await bodyOf('')).toBeNull()
    expect(await bodyOf(JSON.stringify({ name: 5, x: 'x'.repeat(20_000) }))).toBeNull()
  })
})
