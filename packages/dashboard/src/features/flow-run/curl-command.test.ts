import { expect, test } from 'vitest'
import { curlCommand } from './curl-command.ts'

test('builds a shell-safe curl command that creates the same run', () => {
  const run = { id: 'r', deployment_id: 'd', parameters: { name: "O'Hara" }, tags: [] }
  expect(curlCommand(run, 'http://mill/api')).toBe(
    `curl -X POST 'http://mill/api/deployments/d/create_flow_run' \\\n  -H 'content-type: application/json' \\\n  -d '{"parameters":{"name":"O'\\''Hara"},"tags":[]}'`,
  )
  expect(curlCommand({ ...run, deployment_id: null }, 'http://mill/api')).toBe(`curl 'http://mill/api/flow_runs/r'`)
})
