import { expect, test } from 'vitest'
import { startPrototype } from '../src/prototype.ts'
import { checkedWorkloads } from '../src/regression.ts'
import { runBench } from '../src/run-bench.ts'

test('answers the workloads of the regression check', async () => {
  const server = startPrototype(':memory:')
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const only = ['health', ...checkedWorkloads]
  const results = await runBench({ urls: [`${url}/api`], prefix: 'test-bench', stamp: '0123abcd', runs: 250, users: 2, seconds: 0.1, only })
  await server.close()
  expect(results.map(({ name }) => name)).toEqual(only)
  expect(results.filter(({ errors, operations, failure }) => errors > 0 || operations === 0 || failure !== undefined)).toEqual([])
})
