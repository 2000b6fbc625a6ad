import type { Graph, Node } from '@millrace/contracts/graph.ts'
import { expect, test } from 'vitest'
import { mergeGraph, unchangedBefore } from './merge-graph.ts'

const node = (id: string, start: string, end: string | null, parents: string[] = []): [string, Node] => [
  id,
  {
    kind: 'task-run',
    id,
    label: id,
    state_type: end ? 'COMPLETED' : 'RUNNING',
    start_time: start,
    end_time: end,
    parents: parents.map((each) => ({ id: each })),
    children: [],
    encapsulating: [],
    artifacts: [],
  },
]
const graph = (nodes: [string, Node][]): Graph => ({ start_time: null, end_time: null, root_node_ids: [], nodes, artifacts: [], states: [] })

test('replaces changed nodes, inserts new nodes by start time and keeps the rest', () => {
  const current = graph([node('a', '2026-01-01T00:00:00Z', '2026-01-01T00:00:05Z'), node('c', '2026-01-01T00:00:09Z', null, ['a'])])
  const fresh = graph([node('c', '2026-01-01T00:00:09Z', '2026-01-01T00:00:12Z', ['a']), node('b', '2026-01-01T00:00:07Z', null)])
  const merged = mergeGraph(current, fresh)
  expect(merged.nodes.map(([id, each]) => [id, each.state_type])).toEqual([
    ['a', 'COMPLETED'],
    ['b', 'RUNNING'],
    ['c', 'COMPLETED'],
  ])
  expect(merged.root_node_ids).toEqual(['a', 'b'])
})

test('skips nodes that ended long before the last end', () => {
  expect(unchangedBefore(graph([node('a', '2026-01-01T00:00:00Z', '2026-01-01T00:10:00Z')]))).toBe('2026-01-01T00:09:00.000Z')
  expect(unchangedBefore(graph([node('a', '2026-01-01T00:00:00Z', null)]))).toBeUndefined()
})
