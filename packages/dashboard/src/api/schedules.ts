import type { DeploymentScheduleCreate, DeploymentScheduleUpdate, Schedule } from '@millrace/contracts/schedule.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

/** Next times of a schedule, saved or not. */
export const schedulePreviewQuery = (schedule: Schedule, count: number, after?: string) =>
  queryOptions({
    queryKey: ['schedule-preview', schedule, count, after ?? null],
    queryFn: ({ signal }) => client.deployments.previewSchedule({ schedule, count, ...(after && { after }) }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })

export const addSchedule = (deploymentId: string, schedule: DeploymentScheduleCreate) => client.deployments.createSchedules(deploymentId, [schedule])

export const updateSchedule = (deploymentId: string, id: string, change: DeploymentScheduleUpdate) =>
  client.deployments.updateSchedule(deploymentId, id, change)

export const deleteSchedule = (deploymentId: string, id: string) => client.deployments.deleteSchedule(deploymentId, id)

/** Batch limit of the server. */
const timesPageSize = 100

export interface ScheduleTimes {
  readonly times: readonly string[]
  /** False if the list was cut off: a schedule may fire every second. */
  readonly complete: boolean
}

/** Times of a schedule between two moments, at most `max`. */
export const scheduleTimesQuery = (schedule: Schedule, from: string, until: string, max: number) =>
  queryOptions({
    queryKey: ['schedule-times', schedule, from, until, max],
    queryFn: async ({ signal }): Promise<ScheduleTimes> => {
      const times: string[] = []
      let after = from
      while (times.length < max) {
        const { next } = await client.deployments.previewSchedule({ schedule, count: timesPageSize, after }, { signal })
        // The response includes `after` itself.
        const fresh = next.filter((time) => time !== times.at(-1))
        times.push(...fresh.filter((time) => Date.parse(time) < Date.parse(until)))
        const last = fresh.at(-1)
        if (next.length < timesPageSize || last === undefined || Date.parse(last) >= Date.parse(until)) return { times, complete: true }
        after = last
      }
      return { times: times.slice(0, max), complete: false }
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
