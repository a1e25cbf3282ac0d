import { waitIn } from '../time.ts'
import type { Texts } from './en.ts'

const appIsWrong = '请返回应用后重试。如果再次出现，请告知应用的开发者。'

export const texts = {
  toAccount: '前往您的账户',
  toDocumentation: '文档：每个错误的含义（英文）',
  details: '供开发者参考的详细信息',
  code: '错误',
  description: '说明',
  trace: '跟踪 ID',
  otherSite: (ours) => `此表单不是从本服务器的页面发送的。请打开 ${ours}，在那里重试。`,
  wait: (seconds) => `您可以在${waitIn('zh-Hans', seconds)}重试。`,
  other: { heading: '操作无法完成', advice: appIsWrong },
  byCode: {
    invalid_request: { heading: '此请求无法处理', advice: appIsWrong },
    invalid_client: { heading: '此处没有这个应用', advice: appIsWrong },
    access_denied: {
      heading: '您无权执行此操作',
      advice: '如果您认为自己应有权限，请联系管理员。',
    },
    login_required: {
      heading: '您的会话已结束',
      advice: '请返回您来的地方重新开始，届时会要求您登录。',
    },
    not_found: {
      heading: '找不到页面',
      advice: '请检查地址。如果您是通过链接来到这里的，该链接已过期。',
    },
    method_not_allowed: { heading: '此页面不存在', advice: '请返回您来的地方重新开始。' },
    rate_limit_exceeded: { heading: '请求过多', advice: '请稍等片刻，然后重新加载页面。' },
    temporarily_unavailable: {
      heading: '请稍候',
      advice: '服务器正忙或正在启动。请在几秒后重新加载页面。',
    },
    server_error: {
      heading: '出现问题',
      advice: '这不是您的错。请重试；如果再次出现，请告知管理员。',
    },
  },
} satisfies Texts
