import { expect, test } from 'vitest'
import { createTemporaryTree } from '../temporary-tree.ts'
import { readPath } from './newcomer.ts'

const fence = '```'
const readme = `${fence}sh background\nnpm ci && npm start\n${fence}\n\n${fence}sh\npython hello.py\n${fence}\n`
const textsOf = (start: string) =>
  readPath(createTemporaryTree({ 'README.md': readme, 'docs/start.md': start })).map(({ path, server, blocks }) => ({
    path,
    server,
    texts: blocks.map(({ text }) => text),
  }))

const first = { path: 'README.md', server: 'none', texts: ['npm ci && npm start', 'python hello.py'] }

test('starts the server of README.md again for a start page that has none', () => {
  expect(textsOf(`${fence}sh\npython other.py\n${fence}\n`)).toEqual([
    first,
    { path: 'docs/start.md', server: 'none', texts: ['npm ci && npm start', 'python other.py'] },
  ])
})

test('leaves a start page alone that starts its own server', () => {
  const start = `<!-- server: none -->\n${fence}sh background\nnpx millrace\n${fence}\n`
  expect(textsOf(start)).toEqual([first, { path: 'docs/start.md', server: 'none', texts: ['npx millrace'] }])
})

test('executes blocks that need a checkout, and no others that are not executed elsewhere', () => {
  const block = (reason: string) => `${fence}sh not-executed="${reason}"\ntrue\n${fence}\n`
  const root = createTemporaryTree({ 'README.md': `${block('needs a checkout of the repository')}${block('needs a cluster')}` })
  expect(readPath(root)[0]?.blocks.map(({ notExecuted }) => notExecuted)).toEqual([undefined, 'needs a cluster'])
})
