# Run in this folder: gnuplot dotattn_slices.gp
set datafile separator ','
set encoding utf8
set border 3
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 1100,800 enhanced font 'Helvetica,14' background rgb 'white'
set output 'dotattn_slices.svg'
set multiplot layout 2,2
set key top right font ',11' samplen 1.5
set xlabel 'alpha'
set ylabel 'e_g of the lower branch' enhanced
set logscale y
set title 'sigma'
plot 'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'sigma' && column('value') == 0.25 ? column('eg') : 1/0) with lines lw 2 lc rgb '#440154' title '0.25', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'sigma' && column('value') == 0.25 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#440154' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'sigma' && column('value') == 0.75 ? column('eg') : 1/0) with lines lw 2 lc rgb '#3b528b' title '0.75', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'sigma' && column('value') == 0.75 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#3b528b' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'sigma' && column('value') == 1 ? column('eg') : 1/0) with lines lw 2 lc rgb '#21918c' title '1', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'sigma' && column('value') == 1 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#21918c' notitle
set title 'lambda'
plot 'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'lambda' && column('value') == 0.001 ? column('eg') : 1/0) with lines lw 2 lc rgb '#440154' title '0.001', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'lambda' && column('value') == 0.001 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#440154' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'lambda' && column('value') == 0.1 ? column('eg') : 1/0) with lines lw 2 lc rgb '#3b528b' title '0.1', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'lambda' && column('value') == 0.1 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#3b528b' notitle
set title 'omega'
plot 'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0 ? column('eg') : 1/0) with lines lw 2 lc rgb '#440154' title '0', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#440154' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0.1 ? column('eg') : 1/0) with lines lw 2 lc rgb '#3b528b' title '0.1', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0.1 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#3b528b' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0.5 ? column('eg') : 1/0) with lines lw 2 lc rgb '#21918c' title '0.5', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0.5 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#21918c' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0.6 ? column('eg') : 1/0) with lines lw 2 lc rgb '#5ec962' title '0.6', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0.6 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#5ec962' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0.7 ? column('eg') : 1/0) with lines lw 2 lc rgb '#e6740b' title '0.7', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0.7 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#e6740b' notitle
set title 'asymmetric teacher, omega'
plot 'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'skew' && column('value') == 0.1 ? column('eg') : 1/0) with lines lw 2 lc rgb '#440154' title '0.1', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'skew' && column('value') == 0.1 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#440154' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'skew' && column('value') == 0.3 ? column('eg') : 1/0) with lines lw 2 lc rgb '#3b528b' title '0.3', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'skew' && column('value') == 0.3 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#3b528b' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'skew' && column('value') == 0.6 ? column('eg') : 1/0) with lines lw 2 lc rgb '#21918c' title '0.6', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'skew' && column('value') == 0.6 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#21918c' notitle
unset multiplot
unset output
set terminal pngcairo size 1100,800 enhanced font 'Helvetica,14' background rgb 'white'
set output 'dotattn_slices.png'
set multiplot layout 2,2
set key top right font ',11' samplen 1.5
set xlabel 'alpha'
set ylabel 'e_g of the lower branch' enhanced
set logscale y
set title 'sigma'
plot 'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'sigma' && column('value') == 0.25 ? column('eg') : 1/0) with lines lw 2 lc rgb '#440154' title '0.25', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'sigma' && column('value') == 0.25 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#440154' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'sigma' && column('value') == 0.75 ? column('eg') : 1/0) with lines lw 2 lc rgb '#3b528b' title '0.75', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'sigma' && column('value') == 0.75 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#3b528b' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'sigma' && column('value') == 1 ? column('eg') : 1/0) with lines lw 2 lc rgb '#21918c' title '1', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'sigma' && column('value') == 1 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#21918c' notitle
set title 'lambda'
plot 'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'lambda' && column('value') == 0.001 ? column('eg') : 1/0) with lines lw 2 lc rgb '#440154' title '0.001', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'lambda' && column('value') == 0.001 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#440154' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'lambda' && column('value') == 0.1 ? column('eg') : 1/0) with lines lw 2 lc rgb '#3b528b' title '0.1', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'lambda' && column('value') == 0.1 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#3b528b' notitle
set title 'omega'
plot 'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0 ? column('eg') : 1/0) with lines lw 2 lc rgb '#440154' title '0', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#440154' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0.1 ? column('eg') : 1/0) with lines lw 2 lc rgb '#3b528b' title '0.1', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0.1 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#3b528b' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0.5 ? column('eg') : 1/0) with lines lw 2 lc rgb '#21918c' title '0.5', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0.5 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#21918c' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0.6 ? column('eg') : 1/0) with lines lw 2 lc rgb '#5ec962' title '0.6', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0.6 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#5ec962' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0.7 ? column('eg') : 1/0) with lines lw 2 lc rgb '#e6740b' title '0.7', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'omega' && column('value') == 0.7 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#e6740b' notitle
set title 'asymmetric teacher, omega'
plot 'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'skew' && column('value') == 0.1 ? column('eg') : 1/0) with lines lw 2 lc rgb '#440154' title '0.1', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'skew' && column('value') == 0.1 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#440154' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'skew' && column('value') == 0.3 ? column('eg') : 1/0) with lines lw 2 lc rgb '#3b528b' title '0.3', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'skew' && column('value') == 0.3 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#3b528b' notitle, \
  'dotattn_slices_theory.csv' using 'alpha':(strcol('slice') eq 'skew' && column('value') == 0.6 ? column('eg') : 1/0) with lines lw 2 lc rgb '#21918c' title '0.6', \
  'dotattn_slices.csv' using 'alpha':(strcol('slice') eq 'skew' && column('value') == 0.6 ? column('eg_sim') : 1/0) with points pt 7 ps 0.9 lc rgb '#21918c' notitle
unset multiplot
unset output
