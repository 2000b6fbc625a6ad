import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { environmentName, listSettings } from '../../packages/server/src/config/setting.ts'
import { Settings } from '../../packages/server/src/config/settings.ts'
import { version } from '../../packages/server/src/version.ts'
import { repositoryRoot } from '../repository.ts'

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8')
const deployFiles = readdirSync(join(repositoryRoot, 'deploy'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(?:ya?ml|sh|cfg|conf|service|tpl)$/.test(path))
  .map((path) => `deploy/${path}`)

test('names only settings that exist', () => {
  const known = new Set([...listSettings(Settings).map(({ place }) => environmentName(place)), 'MILLRACE_VERSION'])
  for (const path of [...deployFiles, 'Dockerfile']) {
    for (const [name] of read(path).matchAll(/\bMILLRACE_[A-Z_]+/g)) expect(known, `${path}: ${name}`).toContain(name)
  }
})

test('gives the chart the version of the server', () => {
  expect(parse(read('deploy/helm/millrace/Chart.yaml'))).toMatchObject({ version, appVersion: version })
})

test('uses every value of the chart in a template', () => {
  const templates = deployFiles
    .filter((path) => path.includes('/templates/'))
    .map(read)
    .join('\n')
  const names = (values: object): string[] => Object.entries(values).flatMap(([name, value]) => [name, ...(isGroup(value) ? names(value) : [])])
  for (const name of names(parse(read('deploy/helm/millrace/values.yaml')))) {
    // The settings of probes and security contexts are passed on as they are.
    if (!passedOn.has(name)) expect(templates, name).toMatch(new RegExp(`\\.${name}\\b`))
  }
})

const isGroup = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)
const passedOn = new Set(
  'runAsUser runAsGroup runAsNonRoot fsGroup seccompProfile type readOnlyRootFilesystem allowPrivilegeEscalation capabilities drop cpu memory requests limits periodSeconds timeoutSeconds failureThreshold'.split(
    ' ',
  ),
)

test.each(['sqlite', 'postgres'])('starts the server of compose file %s with a password and a read-only root', (name) => {
  const { services } = parse(read(`deploy/compose/${name}.yaml`))
  expect(services.millrace).toMatchObject({ read_only: true, environment: { MILLRACE_SERVER_API_AUTH_STRING: expect.stringContaining(':?') } })
})

test.each(['patroni.yml', 'haproxy.cfg'])('shows %s word for word in the page about high availability', (name) => {
  expect(read('docs/high-availability.md')).toContain(read(`deploy/high-availability/${name}`).trimEnd())
})
