import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ConfigError, describeConfig, readConfig } from './config.ts'

const read = (env: Record<string, string> = {}, ...argv: string[]) => readConfig({ HOME: '/home/ann', ...env }, argv)

function problemsOf(env: Record<string, string>, ...argv: string[]): readonly string[] {
  try {
    read(env, ...argv)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

function secretFile(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'secret'), content)
  return join(folder, 'secret')
}

test('uses the default of every setting that is not set', () => {
  const { config, warnings, sources, request } = read()
  expect(config.server).toMatchObject({ host: '127.0.0.1', port: 4200, base_path: '', log_level: 'info', body_limit_bytes: 16_777_216 })
  expect(config.server.api).toMatchObject({ default_limit: 200, auth_string: null, csrf_protection_enabled: false, cors_allowed_origins: [] })
  expect(config.database).toEqual({
    url: 'sqlite:/home/ann/.millrace/millrace.db',
    direct_url: '',
    read_url: '',
    read_max_lag_seconds: 5,
    prepared_statements: 'auto',
    pool_size: 10,
    connect_timeout_seconds: 30,
    statement_timeout_seconds: 60,
    migrate_on_start: true,
  })
  expect(config.services.late_runs).toEqual({ enabled: true, every_seconds: 5, after_seconds: 15 })
  expect(config.flow_runs.retention_days).toBeNull()
  expect({ warnings, sources: [...sources], request }).toEqual({ warnings: [], sources: [], request: 'serve' })
})

test('returns independent objects on each call', () => {
  read().config.server.api.cors_allowed_origins.push('https://example.com')
  expect(read().config.server.api.cors_allowed_origins).toEqual([])
})

describe('the environment', () => {
  test.each([
    ['MILLRACE_SERVER_PORT', '0', (c) => c.server.port, 0],
    ['MILLRACE_SERVER_BODY_LIMIT_BYTES', '1_000', (c) => c.server.body_limit_bytes, 1000],
    ['MILLRACE_SERVER_BASE_PATH', 'flow/', (c) => c.server.base_path, '/flow'],
    ['MILLRACE_SERVER_LOG_LEVEL', 'WARNING', (c) => c.server.log_level, 'warn'],
    ['MILLRACE_SERVER_API_CORS_ALLOWED_ORIGINS', 'https://a.example, https://b.example', (c) => c.server.api.cors_allowed_origins.length, 2],
    ['MILLRACE_SERVICES_LATE_RUNS_AFTER_SECONDS', '0.5', (c) => c.services.late_runs.after_seconds, 0.5],
    ['MILLRACE_UI_ENABLED', 'off', (c) => c.ui.enabled, false],
    ['MILLRACE_EVENTS_RETENTION_DAYS', 'none', (c) => c.events.retention_days, null],
    ['MILLRACE_FLOW_RUNS_RETENTION_DAYS', '30', (c) => c.flow_runs.retention_days, 30],
    ['PREFECT_SERVER_API_PORT', '4300', (c) => c.server.port, 4300],
    ['PREFECT_API_SERVICES_LATE_RUNS_AFTER_SECONDS', '7', (c) => c.services.late_runs.after_seconds, 7],
    ['PREFECT_SERVER_EVENTS_RETENTION_PERIOD', 'P1W', (c) => c.events.retention_days, 7],
    ['PREFECT_EVENTS_RETENTION_PERIOD', '43200', (c) => c.events.retention_days, 0.5],
    ['PREFECT_SERVER_CSRF_TOKEN_EXPIRATION', 'PT1M', (c) => c.server.api.csrf_token_expiration_seconds, 60],
    ['PREFECT_LOGGING_SERVER_LEVEL', 'CRITICAL', (c) => c.server.log_level, 'fatal'],
  ] satisfies [string, string, (config: ReturnType<typeof read>['config']) => unknown, unknown][])(
    'sets a value: %s=%s',
    (name, text, pick, value) => {
      const { config, sources, warnings } = read({ [name]: text })
      expect(pick(config)).toEqual(value)
      expect([...sources.values()]).toEqual([name])
      expect(warnings).toEqual([])
    },
  )

  test('ignores an empty variable', () => {
    expect(read({ MILLRACE_SERVER_PORT: '', MILLRACE_SERVER_API_AUTH_STRING: '' }).config.server).toMatchObject({
      port: 4200,
      api: { auth_string: null },
    })
  })

  test('prefers our name to the aliases, and the aliases in their order', () => {
    const names = [
      'MILLRACE_SERVER_API_DEFAULT_LIMIT',
      'SERVICE_SERVER_API_DEFAULT_LIMIT',
      'SERVICE_API_DEFAULT_LIMIT',
      'PREFECT_SERVER_API_DEFAULT_LIMIT',
      'PREFECT_API_DEFAULT_LIMIT',
    ]
    for (const [i, winner] of names.entries()) {
      const { config, sources } = read(Object.fromEntries(names.slice(i).map((name, j) => [name, String(i + j + 1)])))
      expect(config.server.api.default_limit).toBe(i + 1)
      expect(sources.get('server.api.default_limit')).toBe(winner)
    }
  })

  test('warns about unknown MILLRACE_ names and ignores variables of other programs', () => {
    const { warnings } = read({
      MILLRACE_SEVER_PORT: '1',
      MILLRACE_WEATHER: 'fine',
      MILLRACE_API_URL: 'http://x/api',
      PREFECT_HOME: '/x',
      SERVICE_PORT: '1',
    })
    expect(warnings).toEqual([
      'Unknown setting MILLRACE_SEVER_PORT is ignored. Did you mean MILLRACE_SERVER_PORT?',
      'Unknown setting MILLRACE_WEATHER is ignored.',
    ])
  })

  test.each([
    ['MILLRACE_SERVICES_FOREMAN_ENABLED', 'false', (c) => c.services.worker_monitor.enabled, false],
    ['MILLRACE_SERVICES_FOREMAN_EVERY_SECONDS', '7', (c) => c.services.worker_monitor.every_seconds, 7],
    ['MILLRACE_SERVICES_FOREMAN_INACTIVITY_HEARTBEAT_MULTIPLE', '5', (c) => c.services.worker_monitor.inactivity_heartbeat_multiple, 5],
    ['MILLRACE_SERVICES_FOREMAN_FALLBACK_HEARTBEAT_INTERVAL_SECONDS', '9', (c) => c.services.worker_monitor.fallback_heartbeat_interval_seconds, 9],
    [
      'MILLRACE_SERVICES_FOREMAN_DEPLOYMENT_LAST_POLLED_TIMEOUT_SECONDS',
      '11',
      (c) => c.services.worker_monitor.deployment_last_polled_timeout_seconds,
      11,
    ],
    [
      'MILLRACE_SERVICES_FOREMAN_WORK_QUEUE_LAST_POLLED_TIMEOUT_SECONDS',
      '12',
      (c) => c.services.worker_monitor.work_queue_last_polled_timeout_seconds,
      12,
    ],
    ['MILLRACE_SERVICES_LEASE_REPOSSESSION_ENABLED', 'false', (c) => c.services.lease_expiration.enabled, false],
    ['MILLRACE_SERVICES_LEASE_REPOSSESSION_EVERY_SECONDS', '3', (c) => c.services.lease_expiration.every_seconds, 3],
  ] satisfies [string, string, (config: ReturnType<typeof read>['config']) => unknown, unknown][])(
    'accepts a name of an earlier version without a warning: %s=%s',
    (name, text, pick, value) => {
      const { config, warnings, sources } = read({ [name]: text })
      expect([pick(config), warnings, [...sources.values()]]).toEqual([value, [], [name]])
    },
  )

  test('starts with the names of settings that the reference has and Millrace does not', () => {
    const { warnings } = read({ MILLRACE_SERVER_MEMO_STORE_PATH: 'x', PREFECT_MEMO_STORE_PATH: 'x', PREFECT_API_ENABLE_METRICS: 'x' })
    expect(warnings).toEqual([expect.stringMatching(/^Unknown setting MILLRACE_SERVER_MEMO_STORE_PATH is ignored\./)])
  })

  test('reads only secrets from files', () => {
    expect(read({ MILLRACE_SERVER_PORT_FILE: '/x' }).warnings).toEqual([
      'Unknown setting MILLRACE_SERVER_PORT_FILE is ignored. Did you mean MILLRACE_SERVER_PORT?',
    ])
  })
})

describe('secrets', () => {
  test('are read from a file without its final line break', () => {
    const { config } = read({ MILLRACE_SERVER_API_AUTH_STRING_FILE: secretFile('ann:open sesame\n') })
    expect(config.server.api.auth_string).toBe('ann:open sesame')
  })

  test('cannot have both a variable and a file', () => {
    const both = { MILLRACE_SERVER_API_AUTH_STRING: 'a:b', MILLRACE_SERVER_API_AUTH_STRING_FILE: secretFile('c:d') }
    expect(problemsOf(both)).toEqual(['MILLRACE_SERVER_API_AUTH_STRING and MILLRACE_SERVER_API_AUTH_STRING_FILE are both set. Remove one.'])
  })

  test('cause an error if the file cannot be read', () => {
    expect(problemsOf({ MILLRACE_SERVER_ENCRYPTION_KEY_FILE: '/no/such/file' })).toEqual([
      'MILLRACE_SERVER_ENCRYPTION_KEY_FILE: cannot read /no/such/file (ENOENT)',
    ])
  })

  test('are not shown in errors or in the description', () => {
    expect(problemsOf({ MILLRACE_SERVER_API_AUTH_STRING: 'canary' })).toEqual(['MILLRACE_SERVER_API_AUTH_STRING: the value is not `user:password`'])
    expect(problemsOf({ MILLRACE_DATABASE_URL: 'mysql://u:canary@h/d' }).join()).not.toContain('canary')
    expect(problemsOf({ MILLRACE_DATABASE_URL: 'postgres://u:canary#x@h:port/d' }).join()).not.toContain('canary')
    const reading = read({
      MILLRACE_SERVER_API_AUTH_STRING: 'ann:canary',
      MILLRACE_SERVER_ENCRYPTION_KEY: 'canary',
      MILLRACE_DATABASE_URL: 'postgres://ann:canary@db.example/millrace?sslpassword=canary',
    })
    const described = describeConfig(reading)
    expect(JSON.stringify(described)).not.toContain('canary')
    expect(described.find(({ place }) => place === 'database.url')).toEqual({
      place: 'database.url',
      environment_name: 'MILLRACE_DATABASE_URL',
      value: 'postgres://ann:********@db.example/millrace?sslpassword=********',
      source: 'MILLRACE_DATABASE_URL',
    })
    expect(described.find(({ place }) => place === 'server.port')).toMatchObject({ value: 4200, source: 'default' })
  })
})

describe('the command line', () => {
  test('overrides the environment', () => {
    const env = { MILLRACE_SERVER_PORT: '1', MILLRACE_SERVER_HOST: 'a', MILLRACE_DATABASE_URL: 'sqlite:a.db' }
    const { config, sources } = read(env, '--port', '4300', '--host=0.0.0.0', '--database', 'sqlite::memory:')
    expect([config.server.port, config.server.host, config.database.url]).toEqual([4300, '0.0.0.0', 'sqlite::memory:'])
    expect(sources.get('server.port')).toBe('--port')
  })

  test.each([
    ['--no-services', { api: true, ui: true, services: false }],
    ['--no-ui', { api: true, ui: false, services: true }],
    ['--services-only', { api: false, ui: false, services: true }],
  ])('selects what runs: %s', (flag, runs) => {
    const { config } = read({}, flag)
    expect({ api: config.server.api.enabled, ui: config.ui.enabled, services: config.services.enabled }).toEqual(runs)
  })

  test.each([
    [['--port'], 'Missing value: --port PORT'],
    [['--port', '--no-ui'], 'Missing value: --port PORT'],
    [['--port', '70000'], '--port: "70000" is not a whole number from 0 to 65535'],
    [['--port', '42x'], '--port: "42x" is not a whole number from 0 to 65535'],
    [['--prot', '1'], 'Unknown flag: --prot. Did you mean --port?'],
    [['--frobnicate'], 'Unknown flag: --frobnicate. See --help.'],
    [['--no-ui=yes'], '--no-ui takes no value'],
    [['start'], 'Unexpected argument: start. The server only takes flags, see --help.'],
    [['--no-services', '--services-only'], '--no-services and --services-only exclude each other. Use one of them.'],
  ])('rejects %j', (argv, problem) => {
    expect(problemsOf({}, ...argv)).toContain(problem)
  })

  test('shows help and version despite other problems', () => {
    expect(read({ MILLRACE_SERVER_PORT: 'x' }, '--help', '--prot').request).toBe('help')
    expect(read({}, '--version').request).toBe('version')
  })
})

test('reports all problems at once, each with the expected value', () => {
  expect(
    problemsOf({
      MILLRACE_SERVER_API_DEFAULT_LIMIT: '0',
      MILLRACE_UI_ENABLED: 'maybe',
      MILLRACE_SERVER_LOG_LEVEL: 'loud',
      MILLRACE_EVENTS_RETENTION_DAYS: '-1',
      MILLRACE_SERVER_BASE_PATH: '/a b',
      PREFECT_SERVER_CSRF_TOKEN_EXPIRATION: 'soon',
      MILLRACE_CONCURRENCY_INITIAL_DEPLOYMENT_LEASE_SECONDS: '10',
    }),
  ).toEqual([
    'MILLRACE_SERVER_BASE_PATH: "/a b" is not a path such as `/millrace`',
    'MILLRACE_SERVER_LOG_LEVEL: "loud" is not one of `trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`',
    'MILLRACE_SERVER_API_DEFAULT_LIMIT: "0" is not a whole number, 1 or more',
    'PREFECT_SERVER_CSRF_TOKEN_EXPIRATION: "soon" is not a duration such as `PT1H` or `7d`',
    'MILLRACE_UI_ENABLED: "maybe" is not `true` or `false`',
    'MILLRACE_EVENTS_RETENTION_DAYS: "-1" is not a number above 0, or `none`',
    'MILLRACE_CONCURRENCY_INITIAL_DEPLOYMENT_LEASE_SECONDS: "10" is not a number from 30 to 3600',
  ])
})
