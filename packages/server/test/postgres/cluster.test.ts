import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sharedPostgres } from './shared-postgres.ts'

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function clusterFor(name: string) {
  const cluster = await sharedPostgres()
  onTestFinished(async () => {
    for (const suffix of ['', '_a', '_b', '_unfinished']) await cluster.dropDatabase(name + suffix)
  })
  return cluster
}

describe('databases', () => {
  test('are independent copies of one template', async () => {
    const cluster = await clusterFor('cluster_apart')
    await cluster.ensureTemplate('cluster_apart', async (url) => {
      await query(url, 'create table t as select 1 as n')
    })
    const a = await cluster.createDatabase('cluster_apart_a', 'cluster_apart')
    const b = await cluster.createDatabase('cluster_apart_b', 'cluster_apart')
    await query(a, 'update t set n = 2')
    expect(await query(a, 'select n from t')).toEqual([{ n: 2 }])
    expect(await query(b, 'select n from t')).toEqual([{ n: 1 }])
  })

  test('can be dropped while a client is connected', async () => {
    const cluster = await clusterFor('cluster_drop')
    const client = new pg.Client({ connectionString: await cluster.createDatabase('cluster_drop') })
    const cut = new Promise((resolve) => client.on('error', resolve))
    await client.connect()
    await cluster.dropDatabase('cluster_drop')
    expect(String(await cut)).toContain('terminat')
    await expect(query(cluster.url('cluster_drop'), 'select 1')).rejects.toThrow('does not exist')
  })
})

describe('a template', () => {
  test('is created once for concurrent callers', async () => {
    const cluster = await clusterFor('cluster_once')
    let made = 0
    const ensure = () =>
      cluster.ensureTemplate('cluster_once', async () => {
        made += 1
      })
    await Promise.all([ensure(), ensure(), ensure()])
    expect(made).toBe(1)
  })

  test('is created again after a failure', async () => {
    const cluster = await clusterFor('cluster_retry')
    const failing = cluster.ensureTemplate('cluster_retry', async (url) => {
      await query(url, 'create table half()')
      throw new Error('prepare failed')
    })
    await expect(failing).rejects.toThrow('prepare failed')
    await cluster.ensureTemplate('cluster_retry', async (url) => {
      await query(url, 'create table half()')
    })
    expect(await query(await cluster.createDatabase('cluster_retry_a', 'cluster_retry'), 'select * from half')).toEqual([])
  })
})

test('the server has an unusual time zone and sorts by language rules', async () => {
  const cluster = await sharedPostgres()
  const admin = cluster.url('postgres')
  expect(await query(admin, 'show timezone')).toEqual([{ TimeZone: 'Asia/Kathmandu' }])
  const sorted = await query(admin, `select string_agg(x, '' order by x) as words from unnest(array['b', 'B', 'a', 'A']) x`)
  expect(sorted).toEqual([{ words: 'aAbB' }])
  expect(await query(admin, 'show server_version_num')).toEqual([{ server_version_num: expect.stringMatching(/^18/) }])
})
