import Type, { type Static } from 'typebox'
import { defaulted, enumOf, FreeJson, nullable, response, Text, Time, Uuid } from './primitives.ts'
import { State, StateType } from './state.ts'
import { TaskRunResult } from './task-run.ts'

/** A node of the older graph: a task run and its upstream dependencies. */
export const DependencyResult = response('DependencyResult', {
  id: Uuid,
  name: Text,
  upstream_dependencies: Type.Array(TaskRunResult),
  state: nullable(State),
  expected_start_time: nullable(Time),
  start_time: nullable(Time),
  end_time: nullable(Time),
  total_run_time: nullable(Type.Number()),
  estimated_run_time: nullable(Type.Number()),
  untrackable_result: Type.Boolean(),
})
export type DependencyResult = Static<typeof DependencyResult>

export const GraphSinceQuery = Type.Object({ since: defaulted(Time, '0001-01-01T00:00:00+00:00') })
export type GraphSinceQuery = Static<typeof GraphSinceQuery>

export const Edge = response('Edge', { id: Uuid })
export type Edge = Static<typeof Edge>

/** `data` is only included for progress artifacts, to keep the graph small. */
export const GraphArtifact = response('GraphArtifact', {
  id: Uuid,
  created: Time,
  key: nullable(Text),
  type: nullable(Text),
  is_latest: Type.Boolean(),
  data: nullable(FreeJson),
})
export type GraphArtifact = Static<typeof GraphArtifact>

export const GraphState = response('GraphState', { id: Uuid, timestamp: Time, type: StateType, name: Text })
export type GraphState = Static<typeof GraphState>

export const Node = response('Node', {
  kind: enumOf('flow-run', 'task-run'),
  id: Uuid,
  label: Text,
  state_type: StateType,
  start_time: Time,
  end_time: nullable(Time),
  parents: Type.Array(Edge),
  children: Type.Array(Edge),
  encapsulating: Type.Array(Edge),
  artifacts: Type.Array(GraphArtifact),
})
export type Node = Static<typeof Node>

/** Pairs of an id and a node, in drawing order. */
const nodes = Type.Array(Type.Unsafe<[string, Node]>({ type: 'array', prefixItems: [Uuid, Node], minItems: 2, maxItems: 2 }))

export const Graph = response('Graph', {
  start_time: nullable(Time),
  end_time: nullable(Time),
  root_node_ids: Type.Array(Uuid),
  nodes,
  artifacts: Type.Array(GraphArtifact),
  states: Type.Array(GraphState),
})
export type Graph = Static<typeof Graph>
