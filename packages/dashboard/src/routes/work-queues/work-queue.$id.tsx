import { createFileRoute, redirect } from '@tanstack/react-router'
import { workQueueQuery } from '../../api/work-queues.ts'

/** Legacy links contain only the id of a queue. */
export const Route = createFileRoute('/work-queues/work-queue/$id')({
  beforeLoad: async ({ context, params }) => {
    const queue = await context.queryClient.ensureQueryData(workQueueQuery(params.id))
    throw redirect({
      to: '/work-pools/work-pool/$name/queue/$queue',
      params: { name: queue.work_pool_name ?? 'default-agent-pool', queue: queue.name },
      replace: true,
    })
  },
})
