import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { dashboardUrl } from './template-links.ts'

test.each([
  [{}, 'http://127.0.0.1:4200'],
  [{ MILLRACE_SERVER_HOST: '0.0.0.0', MILLRACE_SERVER_PORT: '80', MILLRACE_SERVER_BASE_PATH: '/mill' }, 'http://127.0.0.1:80/mill'],
  [{ MILLRACE_SERVER_HOST: '::1' }, 'http://[::1]:4200'],
  [{ MILLRACE_SERVER_UI_URL: 'https://mill.example.com/' }, 'https://mill.example.com'],
  [{ PREFECT_UI_URL: 'https://old.example.com/ui' }, 'https://old.example.com/ui'],
])('links to the dashboard URL: %j', (env, url) => {
  expect(dashboardUrl(readConfig(env, []).config)).toBe(url)
})
