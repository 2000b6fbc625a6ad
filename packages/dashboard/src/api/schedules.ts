import type {
  DeploymentSchedule,
  DeploymentScheduleCreate,
  DeploymentScheduleUpdate,
  Schedule,
  SchedulePreview,
} from '@millrace/contracts/schedule.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** Next times of a schedule, saved or not. */
export const schedulePreviewQuery = (schedule: Schedule, count: number, after?: string) =>
  queryOptions({
    queryKey: ['schedule-preview', schedule, count, after ?? null],
    queryFn: ({ signal }) => call<SchedulePreview>('POST', '/ui/schedules/preview', { body: { schedule, count, ...(after && { after }) }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })

export const addSchedule = (deploymentId: string, schedule: DeploymentScheduleCreate) =>
  call<DeploymentSchedule[]>('POST', `/deployments/${deploymentId}/schedules`, { body: [schedule] })

export const updateSchedule = (deploymentId: string, id: string, change: DeploymentScheduleUpdate) =>
  call<null>('PATCH', `/deployments/${deploymentId}/schedules/${id}`, { body: change })

export const deleteSchedule = (deploymentId: string, id: string) => call<null>('DELETE', `/deployments/${deploymentId}/schedules/${id}`)

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
        const body = { schedule, count: timesPageSize, after }
        const { next } = await call<SchedulePreview>('POST', '/ui/schedules/preview', { body, signal })
        // The response includes `after` itself.
        const fresh = next.filter((time) => time !== times.at(-1))
        times.push(...fresh.filter((time) => time < until))
        const last = fresh.at(-1)
        if (next.length < timesPageSize || last === undefined || last >= until) return { times, complete: true }
        after = last
      }
      return { times: times.slice(0, max), complete: false }
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
