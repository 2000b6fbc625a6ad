import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Control groups of Linux. The first version has a folder for each resource. */
const root = '/sys/fs/cgroup'
const firstVersion = join(root, 'cpu')
const isFirstVersion = existsSync(join(firstVersion, 'cpu.cfs_quota_us'))

/** As with the limits of containers. In shorter periods a server commits what little it read before its share was used up, in many small transactions. */
const periodMicros = 100_000

/** Whether control groups can be changed here, which takes root. */
export function canLimitCpu(): boolean {
  try {
    limitCpu([], 'probe', 1)()
    return true
  } catch {
    return false
  }
}

/** Limits processes to a number of cores together. Returns a function that removes the limit after they ended. */
export function limitCpu(pids: readonly number[], name: string, cores: number): () => void {
  const quota = Math.round(cores * periodMicros)
  if (!isFirstVersion) writeFileSync(join(root, 'cgroup.subtree_control'), '+cpu')
  const folder = join(isFirstVersion ? firstVersion : root, `millrace-bench-${name}`)
  const set = (file: string, value: string | number) => writeFileSync(join(folder, file), String(value))
  mkdirSync(folder)
  try {
    if (isFirstVersion) {
      set('cpu.cfs_period_us', periodMicros)
      set('cpu.cfs_quota_us', quota)
    } else set('cpu.max', `${quota} ${periodMicros}`)
    for (const pid of pids) set('cgroup.procs', pid)
  } catch (error) {
    rmdirSync(folder)
    throw error
  }
  return () => rmdirSync(folder)
}
