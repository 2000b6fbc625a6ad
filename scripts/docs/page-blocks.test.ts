import { expect, test } from 'vitest'
import { missingLine } from './expected-output.ts'
import { parsePage } from './page-blocks.ts'
import { programOf, splitShellCommands } from './shell-commands.ts'

const page = (...lines: string[]) => parsePage('p.md', lines.join('\n'))

test('reads blocks, their words and what precedes them', () => {
  const { blocks, server, needs, problems } = page(
    '<!-- server: postgres -->',
    '<!-- needs: python -->',
    '1. Item:',
    '',
    '   ```sh not-executed="needs a cluster"',
    '   kubectl get pods',
    '   ```',
    '',
    '<!-- before: one',
    'two -->',
    '```python file=a/b.py',
    'x = 1',
    '```',
    '````text',
    '```sh',
    '````',
  )
  expect(problems).toEqual([])
  expect(server).toBe('postgres')
  expect([...needs]).toEqual(['python'])
  expect(blocks).toMatchObject([
    { line: 5, language: 'sh', text: 'kubectl get pods', notExecuted: 'needs a cluster', before: '' },
    { line: 11, language: 'python', text: 'x = 1', file: 'a/b.py', before: 'one\ntwo' },
    { line: 14, language: 'text', text: '```sh' },
  ])
})

test('reports blocks without language or end, unknown words, and misplaced comments', () => {
  expect(page('```', 'x', '```').problems).toEqual(['p.md:1: the code block has no language'])
  expect(page('```sh', 'x').problems).toEqual(['p.md:1: the code block has no end'])
  expect(page('```sh sometimes', '```').problems).toEqual(['p.md:1: unknown word "sometimes" after the language'])
  expect(page('```sh not-executed', '```').problems).toEqual(['p.md:1: "not-executed" needs a reason: not-executed="…"'])
  expect(page('<!-- before: x -->', 'text', '```sh', '```').problems).toEqual(['p.md:2: "before" belongs directly above a code block'])
  expect(page('```sh', '```', '<!-- server: none -->').problems).toEqual(['p.md:3: "server" belongs above the first code block'])
  expect(page('<!-- server: mysql -->').problems).toEqual(['p.md:1: unknown server "mysql": postgres, none, sqlite'])
  expect(page('<!-- needs: luck -->').problems).toEqual(['p.md:1: unknown need "luck": python, minutes'])
})

test('finds the programs of shell text', () => {
  const programs = (text: string) => splitShellCommands(text).flatMap((words) => programOf(words) ?? [])
  expect(programs('A=1 npx millrace flow-run ls \\\n  --state "Failed" | head # npx millrace x')).toEqual([
    { program: 'millrace', args: ['flow-run', 'ls', '--state', 'Failed'] },
    { program: 'head', args: [] },
  ])
  expect(programs('cat > a <<EOF\nmillrace x\nEOF\nid=$(millrace flow ls 2>&1 > b)')).toEqual([
    { program: 'cat', args: [] },
    { program: 'millrace', args: ['flow', 'ls'] },
  ])
  expect(programs('npx -y millrace@latest db plan && echo "$(millrace a b)"; (millrace c)')).toEqual([
    { program: 'millrace', args: ['db', 'plan'] },
    { program: 'millrace', args: ['a', 'b'] },
    { program: 'echo', args: ['$(millrace a b)'] },
    { program: 'millrace', args: ['c'] },
  ])
})

test('compares output line by line, with gaps', () => {
  expect(missingLine('a  b\n\n…\nc…e', 'x\n a b\ny\nc d e\n')).toBeUndefined()
  expect(missingLine('a', 'ab')).toBe('a')
  expect(missingLine('b\na', 'a\nb')).toBe('a')
  expect(missingLine('1 (…)', '1 (2)')).toBeUndefined()
})
