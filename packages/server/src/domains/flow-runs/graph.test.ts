import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

interface Node {
  kind: string
  label: string
  state_type: string
  end_time: string | null
  parents: { id: string }[]
  children: { id: string }[]
  encapsulating: { id: string }[]
  artifacts: object[]
}

async function createGraphRun(app: TestApp) {
  const flow = (await app.call('POST', '/flows/', { name: 'a flow' })).body.id as string
  const run = (await app.call('POST', '/flow_runs/', { flow_id: flow, name: 'main', state: { type: 'RUNNING' } })).body.id as string
  let tasks = 0
  const task = async (name: string, body: object = {}): Promise<string> => {
    tasks += 1
    return (await app.call('POST', '/task_runs/', { task_key: 'k', dynamic_key: `${tasks}`, name, flow_run_id: run, ...body })).body.id
  }
  const set = (id: string, type: string) => app.call('POST', `/task_runs/${id}/set_state`, { state: { type } })
  /** The graph with labels instead of ids. */
  const graph = async (query = '') => {
    const { status, body } = await app.call('GET', `/flow_runs/${run}/graph-v2${query}`)
    expect(status).toBe(200)
    const nodes = body.nodes as [string, Node][]
    const names = new Map(nodes.map(([id, { label }]) => [id, label]))
    const named = (edges: { id: string }[]) => edges.map(({ id }) => names.get(id) ?? 'not shown')
    return {
      body,
      nodes: Object.fromEntries(nodes.map(([, node]) => [node.label, node])),
      edges: (node: Node) => [named(node.parents), named(node.children), named(node.encapsulating)],
      roots: named(body.root_node_ids.map((id: string) => ({ id }))),
    }
  }
  return { flow, run, task, set, graph }
}

const from = (...ids: string[]) => ids.map((id) => ({ input_type: 'task_run', id }))

eachDialect('the graph of a flow run', (setup) => {
  test('lists each edge once by start time and does not treat enclosing tasks as parents', async () => {
    const app = await setup()
    const { task, graph } = await createGraphRun(app)
    const a = await task('a')
    const b = await task('b')
    await task('c', {
      task_inputs: {
        x: from(b, a),
        y: from(a, a),
        wait_for: from(b),
        z: [
          { input_type: 'constant', type: 'int' },
          { input_type: 'parameter', name: 'p' },
        ],
      },
    })
    await task('d', { task_inputs: { __parents__: from(b, a), x: from(a) } })
    await task('lone', { task_inputs: { x: from('00000000-0000-4000-8000-000000000000') } })
    const { nodes, edges, roots } = await graph()
    expect(Object.keys(nodes)).toEqual(['a', 'b', 'c', 'd', 'lone'])
    expect(edges(nodes.a!)).toEqual([[], ['c', 'd'], []])
    expect(edges(nodes.b!)).toEqual([[], ['c'], []])
    expect(edges(nodes.c!)).toEqual([['a', 'b'], [], []])
    expect(edges(nodes.d!)).toEqual([['a'], [], ['a', 'b']])
    expect(roots).toEqual(['a', 'b', 'lone'])
  })

  test('omits nodes that ended before "since" but keeps edges to them', async () => {
    const app = await setup()
    const { task, set, graph } = await createGraphRun(app)
    const a = await task('a')
    await set(a, 'COMPLETED')
    app.clock.advance(60)
    const since = '2030-01-01T00:00:30Z'
    const b = await task('b', { task_inputs: { x: from(a) } })
    await set(b, 'RUNNING')
    const { nodes, body, roots } = await graph(`?since=${since}`)
    expect(Object.keys(nodes)).toEqual(['b'])
    expect(nodes.b!.parents).toEqual([{ id: a }])
    expect(roots).toEqual([])
    expect(body.states).toMatchObject([{ type: 'RUNNING', name: 'Running' }])
    expect(Object.keys((await graph('?since=2030-01-01')).nodes)).toEqual(['a', 'b'])
  })

  test('replaces the task run of a subflow by the subflow', async () => {
    const app = await setup()
    const { flow, task, graph } = await createGraphRun(app)
    const a = await task('a', { state: { type: 'COMPLETED' } })
    const holder = await task('holder', { task_inputs: { x: from(a) } })
    const inner = (await app.call('POST', '/flow_runs/', { flow_id: flow, name: 'inner', parent_task_run_id: holder })).body.id
    await app.call('POST', `/flow_runs/${inner}/set_state`, { state: { type: 'RUNNING' } })
    await task('after', { task_inputs: { x: [{ input_type: 'flow_run', id: inner }] } })
    const { nodes, edges } = await graph()
    expect(nodes['a flow / inner']).toMatchObject({ kind: 'flow-run', id: inner, state_type: 'RUNNING', end_time: null })
    expect(edges(nodes['a flow / inner']!)).toEqual([['a'], ['after'], []])
    expect(nodes.holder).toBeUndefined()
  })

  test('attaches artifacts to their task, marks the latest and includes only progress data', async () => {
    const app = await setup()
    const { run, task, graph } = await createGraphRun(app)
    const a = await task('a')
    for (const body of [
      { key: 'report', type: 'markdown', data: 'one' },
      { key: 'report', type: 'markdown', data: 'two' },
      { type: 'progress', data: 50, task_run_id: a },
      { type: 'result', data: 1, task_run_id: a },
    ]) {
      await app.call('POST', '/artifacts/', { flow_run_id: run, ...body })
    }
    const { nodes, body } = await graph()
    expect(body.artifacts).toMatchObject([
      { key: 'report', is_latest: false, data: null },
      { key: 'report', is_latest: true, data: null },
    ])
    expect(nodes.a!.artifacts).toMatchObject([{ key: null, type: 'progress', is_latest: true, data: 50 }])
  })

  test('shows each change at once', async () => {
    const app = await setup()
    const { flow, run, task, set, graph } = await createGraphRun(app)
    const a = await task('a')
    const inner = (await app.call('POST', '/flow_runs/', { flow_id: flow, name: 'inner', parent_task_run_id: await task('holder') })).body.id
    const texts = new Set<string>()
    /** Each graph differs from all earlier ones, and is the same when nothing has changed. */
    const expectChange = async () => {
      const before = texts.size
      texts.add(JSON.stringify((await graph()).body))
      expect(texts.size).toBe(before + 1)
      texts.add(JSON.stringify((await graph()).body))
      expect(texts.size).toBe(before + 1)
    }
    await expectChange()
    await set(a, 'RUNNING')
    await expectChange()
    await task('b', { task_inputs: { x: from(a) } })
    await expectChange()
    await app.call('PATCH', `/task_runs/${a}`, { name: 'renamed' })
    await expectChange()
    await app.call('POST', `/flow_runs/${inner}/set_state`, { state: { type: 'RUNNING' } })
    await expectChange()
    await app.call('POST', `/flow_runs/${run}/set_state`, { state: { type: 'COMPLETED' } })
    await expectChange()
    await app.call('POST', '/artifacts/', { flow_run_id: run, key: 'report', type: 'markdown', data: 'one' })
    await expectChange()
    // Another run's artifact becomes the latest of the key.
    await app.call('POST', '/artifacts/', { key: 'report', type: 'markdown', data: 'two' })
    await expectChange()
    await app.call('DELETE', `/task_runs/${a}`)
    await expectChange()
    const dependencies = async () => (await app.call('GET', `/flow_runs/${run}/graph`)).body.map(({ name }: { name: string }) => name)
    expect(await dependencies()).toEqual(['b', 'holder'])
    await task('c')
    expect(await dependencies()).toEqual(['c', 'b', 'holder'])
  })

  test('rejects a graph with too many nodes, counted after "since"', async () => {
    const app = await setup({ env: { MILLRACE_FLOW_RUNS_GRAPH_MAXIMUM_NODES: '2' } })
    const { run, task, set, graph } = await createGraphRun(app)
    for (const name of ['a', 'b']) await set(await task(name), 'COMPLETED')
    expect((await graph()).roots).toEqual(['a', 'b'])
    app.clock.advance(60)
    await task('c')
    expect(await app.call('GET', `/flow_runs/${run}/graph-v2`)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('more than 2 nodes') },
    })
    expect((await graph('?since=2030-01-01T00:00:30Z')).roots).toEqual(['c'])
  })

  test('lists each dependency once in the older format', async () => {
    const app = await setup()
    const { run, task, set } = await createGraphRun(app)
    const a = await task('a')
    const b = await task('b', { task_inputs: { x: from(a), y: from(a), z: [{ input_type: 'constant', type: 'int' }] } })
    await set(b, 'RUNNING')
    app.clock.advance(10)
    const { body } = await app.call('GET', `/flow_runs/${run}/graph`)
    expect(body).toMatchObject([
      {
        id: b,
        name: 'b',
        upstream_dependencies: [{ input_type: 'task_run', id: a }],
        state: { type: 'RUNNING' },
        total_run_time: 0,
        untrackable_result: false,
      },
      { id: a, name: 'a', upstream_dependencies: [], state: { type: 'PENDING' } },
    ])
    expect(body[0].estimated_run_time).toBeCloseTo(10, 2)
    expect((await app.call('GET', '/flow_runs/00000000-0000-4000-8000-000000000000/graph')).status).toBe(404)
    expect((await app.call('GET', '/flow_runs/00000000-0000-4000-8000-000000000000/graph-v2')).status).toBe(404)
  })
})
