import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import MiniSearch from 'minisearch'
import { describe, expect, test } from 'vitest'
import { repositoryRoot } from '../../../scripts/repository.ts'
import { listSearchedPages } from '../src/pages.ts'
import { splitIntoSections } from '../src/search-index.ts'
import { searchOptions } from '../src/search-ranking.ts'

/** What newcomers ask first, with pages of docs/ that answer it. */
const questions: readonly (readonly [question: string, ...pages: string[]])[] = [
  ['install', 'start', 'deployment'],
  ['change the port', 'config', 'start', 'deployment'],
  ['use PostgreSQL', 'deployment', 'scaling', 'config', 'postgres-compatible'],
  ['set a password', 'security', 'deployment', 'behind-a-proxy'],
  ['schedule a flow', 'guides/schedule-a-flow'],
  ['cron timezone', 'guides/schedule-a-flow'],
  ['run a worker', 'guides/run-a-worker'],
  ['why is my run late', 'guides/why-not-running'],
  ['run is not running', 'guides/why-not-running'],
  ['retry a failed task', 'guides/retry'],
  ['cancel a run', 'guides/cancel-and-pause'],
  ['limit concurrency', 'guides/limit-concurrency'],
  ['pass parameters', 'guides/parameters'],
  ['secrets', 'guides/secrets-and-settings'],
  ['send a Slack notification', 'guides/notify'],
  ['webhook', 'guides/notify'],
  ['backup and restore', 'backup'],
  ['upgrade', 'upgrade'],
  ['migrate from Prefect', 'coming-from-prefect', 'adopt'],
  ['docker compose', 'deployment'],
  ['Kubernetes helm', 'deployment'],
  ['Prometheus metrics', 'metrics'],
  ['delete old runs', 'guides/retention'],
  ['reverse proxy base path', 'behind-a-proxy'],
  ['logs of a run', 'guides/logs'],
  ['environment variables', 'config', 'guides/secrets-and-settings'],
]

/** The index as VitePress makes it. */
const index = new MiniSearch({ fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] })
for (const { source, path } of listSearchedPages(repositoryRoot)) {
  for (const { anchor, titles, text } of splitIntoSections(path, readFileSync(join(repositoryRoot, source), 'utf8'))) {
    index.add({ id: `/help/${path.replace(/\.md$/, '')}#${anchor}`, title: titles.at(-1), titles: titles.slice(0, -1), text })
  }
}

/** The pages of the first results, which are sections of pages. */
const firstPages = (query: string): string[] =>
  index
    .search(query, searchOptions)
    .slice(0, 3)
    .map(({ id }) => id.replace(/^\/help\/|#.*$/g, ''))

const exists = (page: string): boolean => existsSync(join(repositoryRoot, `docs/${page}.md`))

describe('the search', () => {
  test.each(questions.filter(([, ...pages]) => pages.some(exists)))('finds "%s" among the first three results', (question, ...pages) => {
    expect(
      firstPages(question).filter((page) => pages.includes(page)),
      `found ${firstPages(question).join(', ')}`,
    ).not.toEqual([])
  })
})
