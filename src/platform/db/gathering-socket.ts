import { Socket } from 'node:net'

/**
 * A socket that sends together what is written in one turn of the event loop, from the first `cork` on. The driver corks and
 * uncorks for each statement, and statements are pipelined by the dozen: a system call and a packet for all of them is what
 * pipelining is for.
 */
export function createGatheringSocket(): Socket {
  const socket = new Socket()
  const cork = socket.cork.bind(socket)
  const uncork = socket.uncork.bind(socket)
  let is_gathering = false
  socket.cork = () => {
    if (is_gathering) return
    is_gathering = true
    cork()
    process.nextTick(() => {
      is_gathering = false
      uncork()
    })
  }
  socket.uncork = () => {}
  return socket
}
