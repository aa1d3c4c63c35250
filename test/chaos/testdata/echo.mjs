// A small MCP server on node, without a library: real runtimes start slower and die differently than Go programs.
import { createInterface } from 'node:readline'

const tool = {
  name: 'echo',
  description: 'Says what it was given.',
  annotations: { readOnlyHint: true },
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'node-echo', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': (params) => ({ content: [{ type: 'text', text: params.arguments.text }] }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const answer = answers[method]
  const body = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: `no method ${method}` } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...body }) + '\n')
}
