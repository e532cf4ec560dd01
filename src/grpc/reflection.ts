/**
 * Server reflection (https://github.com/grpc/grpc/blob/master/doc/server-reflection.md): tools learn the schema from it and
 * need no file of it. It tells of the schema alone, so it needs no key.
 */
import { create, toBinary } from '@bufbuild/protobuf'
import type { DescFile, DescService, MessageInitShape } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { status as Status } from '@grpc/grpc-js'
import type { ServerReflectionRequest, ServerReflectionResponse } from './generated/grpc/reflection_v1_pb.js'
import { ServerReflectionResponseSchema } from './generated/grpc/reflection_v1_pb.js'

/** Answers requests about `services`. v1 and v1alpha have the same messages. */
export function createReflect(services: readonly DescService[]) {
  const files = new Map<string, DescFile>()
  const by_symbol = new Map<string, DescFile>()
  for (const service of services) addFile(service.file)

  function addFile(file: DescFile): void {
    if (files.has(file.proto.name)) return
    files.set(file.proto.name, file)
    for (const symbol of symbolsOf(file)) by_symbol.set(symbol, file)
    file.dependencies.forEach(addFile)
  }

  return (request: ServerReflectionRequest): ServerReflectionResponse =>
    create(ServerReflectionResponseSchema, {
      validHost: request.host,
      originalRequest: request,
      messageResponse: answer(request.messageRequest),
    })

  function answer({ case: question, value }: ServerReflectionRequest['messageRequest']): Answer {
    switch (question) {
      case 'listServices':
        return {
          case: 'listServicesResponse',
          value: { service: services.map(({ typeName: name }) => ({ name })) },
        }
      case 'fileByFilename':
        return describe(files.get(value), value)
      case 'fileContainingSymbol':
        return describe(by_symbol.get(value), value)
      case 'allExtensionNumbersOfType':
        return by_symbol.has(value)
          ? { case: 'allExtensionNumbersResponse', value: { baseTypeName: value } }
          : notFound(value)
      case 'fileContainingExtension':
        return notFound(`extension ${value.extensionNumber} of ${value.containingType}`)
      default:
        return failure(Status.INVALID_ARGUMENT, 'the request asks for nothing')
    }
  }
}

type Answer = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>['messageResponse']>

/** The file and all that it imports, so that a tool need not ask again. */
function describe(file: DescFile | undefined, name: string): Answer {
  if (file === undefined) return notFound(name)
  // A set that grows while it is walked.
  const described = new Set([file])
  for (const { dependencies } of described) for (const imported of dependencies) described.add(imported)
  const bytes = [...described].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto))
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto: bytes } }
}

function notFound(name: string): Answer {
  return failure(Status.NOT_FOUND, `${name} not found`)
}

function failure(code: Status, message: string): Answer {
  return { case: 'errorResponse', value: { errorCode: code, errorMessage: message } }
}

function* symbolsOf(file: DescFile): Generator<string> {
  for (const type of nestedTypes(file)) {
    yield type.typeName
    if (type.kind === 'message') for (const field of type.fields) yield `${type.typeName}.${field.name}`
    if (type.kind === 'service') for (const method of type.methods) yield `${type.typeName}.${method.name}`
  }
}
