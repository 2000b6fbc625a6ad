/** Where queues live that belong to no pool; it is made when the first of them is. */
export const agentPoolName = 'default-agent-pool'
