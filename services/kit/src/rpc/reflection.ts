import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { handleBidiStreamingCall, Server, ServiceDefinition } from '@grpc/grpc-js'
import type { IFileDescriptorSet } from 'protobufjs/ext/descriptor/index.js'

/** The method by which callers ask, in both versions of the protocol. */
const methods = ['v1', 'v1alpha'].map(
  (version) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
)

type Handler = handleBidiStreamingCall<unknown, unknown>
type Descriptor = typeof import('protobufjs/ext/descriptor/index.js')
type Method = { definition: ServiceDefinition[string]; handler: Handler }

/**
 * Adds server reflection, by which a program such as grpcurl learns what a server answers. Its libraries are loaded when somebody
 * asks: they take a tenth of a second of CPU time and 6 MB, for which a start should not pay.
 * @param services the full names of the services to show, such as gatehouse.token.v1.TokenService
 */
export function addReflection(server: Server, services: readonly string[]): void {
  let loaded: Map<string, Method> | undefined
  const load = (path: string): Method => {
    loaded ??= loadReflection(services)
    const method = loaded.get(path)
    if (method === undefined) throw new Error(`the library of reflection no longer answers ${path}`)
    return method
  }
  for (const path of methods) {
    const info = {
      ...{ path, requestStream: true, responseStream: true },
      requestSerialize: (request: unknown) => load(path).definition.requestSerialize(request),
      requestDeserialize: (bytes: Buffer) => load(path).definition.requestDeserialize(bytes),
      responseSerialize: (response: unknown) => load(path).definition.responseSerialize(response),
      responseDeserialize: (bytes: Buffer) => load(path).definition.responseDeserialize(bytes),
    }
    server.addService({ info }, { info: ((call) => load(path).handler(call)) satisfies Handler })
  }
}

/** The methods of reflection by their paths. */
function loadReflection(services: readonly string[]): Map<string, Method> {
  const require = createRequire(import.meta.url)
  const { ReflectionService }: typeof import('@grpc/reflection') = require('@grpc/reflection')
  const { FileDescriptorSet, FileDescriptorProto }: Descriptor = require('protobufjs/ext/descriptor')
  // As buf compiled them. The files that proto-loader makes lack the imports and the names of map entries without which grpcurl reads
  // none of them (grpc/grpc-node issues 2958 and 3018).
  // The types of protobufjs give every decoded message as a Message without fields.
  const { file } = FileDescriptorSet.decode(
    readFileSync(require.resolve('@gatehouse/proto/descriptors')),
  ) as unknown as IFileDescriptorSet
  const described = {
    ...{ format: 'Protocol Buffer 3 EnumDescriptorProto' as const, type: {} },
    fileDescriptorProtos: file.map((one) => Buffer.from(FileDescriptorProto.encode(one).finish())),
  }
  const found = new Map<string, Method>()
  new ReflectionService({ described }, { services: [...services] }).addToServer({
    addService(service, implementation) {
      for (const [name, definition] of Object.entries(service))
        found.set(definition.path, { definition, handler: implementation[name] as Handler })
    },
  })
  return found
}
