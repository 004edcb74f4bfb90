/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the PMU events of ARMv8 cores, as the ARM Architecture Reference Manual (D8.11, common events) has them. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_ARM_EVENTS_H
#define MSPROF_PARSERS_KINDS_COMMON_ARM_EVENTS_H

/* clang-format off */
#define ARM_EVENTS(X) \
    X(0, "Sw_incr") X(1, "L1i_cache_refill") X(2, "L1i_tlb_refill") X(3, "L1d_cache_refill") X(4, "L1d_cache") \
    X(5, "L1d_tlb_refill") X(6, "Ld_retired") X(7, "St_retired") X(8, "Inst_retired") X(9, "Exc_taken") \
    X(10, "Exc_return") X(11, "Cid_write_retired") X(12, "Pc_write_retired") X(13, "Br_immed_retired") \
    X(14, "Br_return_retired") X(15, "Unaligned_ldst_retired") X(16, "Br_mis_pred") X(17, "Cpu_cycles") \
    X(18, "Br_pred") X(19, "Mem_access") X(20, "L1i_cache") X(21, "L1d_cache_wb") X(22, "L2d_cache") \
    X(23, "L2d_cache_refill") X(24, "L2d_cache_wb") X(25, "Bus_access") X(26, "Memory_error") X(27, "Inst_spec") \
    X(28, "Ttbr_write_retired") X(29, "Bus_cycles") X(30, "Chain") X(31, "L1d_cache_allocate") \
    X(32, "L2d_cache_allocate") X(33, "Br_retired") X(34, "Br_mis_pred_retired") X(35, "Stall_frontend") \
    X(36, "Stall_backend") X(37, "L1d_tlb") X(38, "L1i_tlb") X(39, "L2i_cache") X(40, "L2i_cache_refill") \
    X(41, "L3d_cache_allocate") X(42, "L3d_cache_refill") X(43, "L3d_cache") X(44, "L3d_cache_wb") \
    X(45, "L2d_tlb_refill") X(46, "L2i_tlb_refill") X(47, "L2d_tlb") X(48, "L2i_tlb") X(64, "L1d_cache_rd") \
    X(65, "L1d_cache_wr") X(66, "L1d_cache_refill_rd") X(67, "L1d_cache_refill_wr") X(70, "L1d_cache_wb_victim") \
    X(71, "L1d_cache_wb_clean") X(72, "L1d_cache_inval") X(76, "L1d_tlb_refill_rd") X(77, "L1d_tlb_refill_wr") \
    X(80, "L2d_cache_rd") X(81, "L2d_cache_wr") X(82, "L2d_cache_refill_rd") X(83, "L2d_cache_refill_wr") \
    X(86, "L2d_cache_wb_victim") X(87, "L2d_cache_wb_clean") X(88, "L2d_cache_inval") X(96, "Bus_access_rd") \
    X(97, "Bus_access_wr") X(98, "Bus_access_shared") X(99, "Bus_access_not_shared") X(100, "Bus_access_normal") \
    X(101, "Bus_access_periph") X(102, "Mem_access_rd") X(103, "Mem_access_wr") X(104, "Unaligned_ld_spec") \
    X(105, "Unaligned_st_spec") X(106, "Unaligned_ldst_spec") X(108, "Ldrex_spec") X(109, "Strex_pass_spec") \
    X(110, "Strex_fail_spec") X(112, "Ld_spec") X(113, "St_spec") X(114, "Ldst_spec") X(115, "Dp_spec") \
    X(116, "Ase_spec") X(117, "Vfp_spec") X(118, "Pc_write_spec") X(119, "Crypto_spec") X(120, "Br_immed_spec") \
    X(121, "Br_return_spec") X(122, "Br_indirect_spec") X(124, "Isb_spec") X(125, "Dsb_spec") X(126, "Dmb_spec") \
    X(129, "Exc_undef") X(130, "Exc_svc") X(131, "Exc_pabort") X(132, "Exc_dabort") X(134, "Exc_irq") \
    X(135, "Exc_fiq") X(136, "Exc_smc") X(138, "Exc_hvc") X(139, "Exc_trap_pabort") X(140, "Exc_trap_dabort") \
    X(141, "Exc_trap_other") X(142, "Exc_trap_irq") X(143, "Exc_trap_fiq") X(144, "Rc_ld_spec") X(145, "Rc_st_spec")
/* clang-format on */

#define ARM_EVENT_CASE(number, name) "WHEN " #number " THEN '" name "' "
/* SQL: the name of an event, by its number. */
#define ARM_EVENT_NAME(event) "CASE " event " " ARM_EVENTS(ARM_EVENT_CASE) "END"
/* SQL: whether an event is in a list of sample.json ("0x11,0x8"). */
#define ARM_EVENT_CHOSEN(event, list)                                                                                  \
    "instr(',' || lower(setting('" list "', device_id)) || ',', ',' || format('0x%x', " event ") || ',') > 0"

#define ARM_EVENT_CYCLES "17"

#endif
