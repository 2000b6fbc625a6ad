import { expect, test } from 'vitest'
import { parsePage } from './page-blocks.ts'
import { runPage } from './run-page.ts'

const fence = '```'

/** Runs a page that consists of these blocks: an info string, and the text. */
const run = (blocks: readonly (readonly [info: string, text: string])[], top = '<!-- server: none -->') =>
  runPage(parsePage('docs/x.md', [top, ...blocks.map(([info, text]) => `${fence}${info}\n${text}\n${fence}`)].join('\n\n')), { blockSeconds: 20 })

test('carries variables and the folder from block to block, and writes files', async () => {
  const result = await run([
    ['sh', 'mkdir inner && cd inner\nname=Ada'],
    ['json file=data/a.json', '{"a": 1}'],
    ['sh', 'echo "$name in $(basename "$PWD")"; cat data/a.json; echo $HOME'],
    ['text output', 'Ada in inner\n{"a": 1}\n/…/home'],
  ])
  expect(result).toMatchObject({ executed: 2, notExecuted: [] })
  expect(result.failure).toBeUndefined()
})

test('reports the line, the block and the output of a failure', async () => {
  const { failure } = await run([
    ['sh', 'true'],
    ['sh', 'echo so far\nfalse\necho not reached'],
    ['sh', 'echo never'],
  ])
  expect(failure).toBe(
    ['docs/x.md:7: exited with 1', '  block:', '    echo so far', '    false', '    echo not reached', '  output:', '    so far'].join('\n'),
  )
})

test('reports output that differs', async () => {
  const { failure } = await run([
    ['sh', 'echo one; echo two'],
    ['text output', 'two\none'],
  ])
  expect(failure).toContain('docs/x.md:7: the output lacks the line "one"')
})

test('expects blocks marked "fails" to fail', async () => {
  expect(
    (
      await run([
        ['sh fails', 'echo before; exit 3; echo after'],
        ['sh', 'true'],
      ])
    ).failure,
  ).toBeUndefined()
  expect((await run([['sh fails', 'true']])).failure).toContain('succeeded, but is marked "fails"')
})

test('runs a block in the background until the end, and waits for its output', async () => {
  const result = await run([
    ['sh background', 'echo $BASHPID > pid; sleep 0.2; echo ready; sleep 600'],
    ['text output', 'ready'],
    ['sh', 'kill -0 $(cat pid)'],
  ])
  expect(result.failure).toBeUndefined()
  expect(result.seconds).toBeLessThan(10)
  expect((await run([['sh background', 'exit 4']])).failure).toContain('exited with 4')
})

test('reports a block that exceeds its time', async () => {
  const page = parsePage('docs/x.md', `<!-- server: none -->\n${fence}sh\nsleep 100\n${fence}`)
  expect((await runPage(page, { blockSeconds: 0.3 })).failure).toContain('docs/x.md:2: did not end within 0.3 seconds')
})

test('gives a page a server at the address that it names, and the typed client', async () => {
  const { failure } = await run(
    [
      ['sh', 'npx millrace variable set region eu-west-1\nunset MILLRACE_API_URL\nmillrace --server http://127.0.0.1:4200 variable get region'],
      ['text output', 'eu-west-1'],
      [
        'ts',
        "import { MillraceClient } from 'millrace/client'\nconst client = new MillraceClient({ url: 'http://127.0.0.1:4200/api' })\nconst found: number = await client.variables.count()\nconsole.log(found)",
      ],
      ['text output', '1'],
    ],
    '',
  )
  expect(failure).toBeUndefined()
})
