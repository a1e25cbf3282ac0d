import type { Texts } from './en.ts'

export const texts = {
  link: '您的登录记录',
  heading: '您的登录记录',
  lead: '最近 30 天内登录您账户的所有尝试，最新的在前。如果有您不认识的成功登录，请更改密码。',
  none: '最近 30 天内没有登录记录。',
  older: '更早的登录',
  newest: '最新的登录',
  outcomes: {
    succeeded: '登录成功',
    wrongPassword: '密码错误',
    disabled: '您的账户当时已停用',
    tooManyFailures: '失败次数过多，已拒绝',
    providerRefused: '在第三方服务处被取消或拒绝',
    providerFailed: '第三方服务未正常响应',
    wrongFactor: '第二重验证错误',
    tooManyCodes: '错误验证码过多，已拒绝',
    factorMissing: '未提供第二重验证',
    factorNotAsked: '已拒绝：此应用无法要求您进行第二重验证',
    notFinished: '未及时完成',
    passkeyRefused: '通行密钥未被接受',
    failed: '失败',
  },
} satisfies Texts
