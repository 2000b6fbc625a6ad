import type { Graph, Node } from '@millrace/contracts/graph.ts'
import { expect, test } from 'vitest'
import { buildScene, findNodes, hasSameShape, neighbours } from './scene.ts'

const node = (id: string, parents: string[], more: Partial<Node> = {}): [string, Node] => [
  id,
  {
    kind: 'task-run',
    id,
    label: `Task ${id}`,
    state_type: 'COMPLETED',
    start_time: '2026-01-01T00:00:00Z',
    end_time: null,
    parents: parents.map((each) => ({ id: each })),
    children: [],
    encapsulating: [],
    artifacts: [],
    ...more,
  },
]
const graph = (nodes: [string, Node][]): Graph => ({ start_time: null, end_time: null, root_node_ids: [], nodes, artifacts: [], states: [] })

const scene = buildScene(
  graph([node('a', []), node('b', ['a', 'gone', 'b']), node('c', ['a', 'b'], { encapsulating: [{ id: 'a' }], state_type: 'FAILED' })]),
)

test('builds edges from upstream nodes and drops unknown nodes and self-loops', () => {
  expect([...scene.from]).toEqual([0, 0, 1, 0])
  expect([...scene.to]).toEqual([1, 2, 2, 2])
  expect(scene.dataEdges).toBe(3)
})

test('lists each neighbour once', () => {
  expect(neighbours(scene, 2, 'before')).toEqual([0, 1])
  expect(neighbours(scene, 0, 'after')).toEqual([1, 2])
  expect(neighbours(scene, 2, 'after')).toEqual([])
})

test('compares shapes regardless of states', () => {
  const same = buildScene(
    graph([node('a', [], { state_type: 'RUNNING' }), node('b', ['a']), node('c', ['a', 'b'], { encapsulating: [{ id: 'a' }] })]),
  )
  expect(hasSameShape(scene, same)).toBe(true)
  expect(hasSameShape(scene, buildScene(graph([node('a', []), node('b', ['a']), node('c', ['b'])])))).toBe(false)
})

test('finds nodes by part of the name and by state', () => {
  expect(findNodes(scene, 'TASK', undefined)).toEqual([0, 1, 2])
  expect(findNodes(scene, ' c ', undefined)).toEqual([2])
  expect(findNodes(scene, '', 'failed')).toEqual([2])
  expect(findNodes(scene, 'a', 'failed')).toEqual([2])
  expect(findNodes(scene, '', undefined)).toBeUndefined()
})
